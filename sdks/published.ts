/** What the tools that look at published packages say of a tarball. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { publint } from 'publint'

const attw = fileURLToPath(
  new URL('dist/index.js', import.meta.resolve('@arethetypeswrong/cli/package.json')),
)

/** Entries, formats, declared files. */
export async function assertPublishable(tarball: string): Promise<void> {
  const { buffer } = Uint8Array.from(await readFile(tarball))
  const { messages } = await publint({ strict: true, pack: { tarball: buffer } })
  assert.deepEqual(messages, [])
}

/** That each way to import it finds the types that belong to what it loads. */
export async function assertTypesFit(tarball: string): Promise<void> {
  const args = [attw, tarball, '--no-definitely-typed', '--format', 'ascii', '--no-emoji', '--no-color']
  const { stdout } = await promisify(execFile)(process.execPath, args).catch((error) =>
    assert.fail(`${error.stdout}${error.stderr}`),
  )
  assert.match(stdout, /No problems found/)
}

/** What was built, and what npm wants of every package. */
export function assertHoldsWhatWasBuilt(files: readonly string[]): void {
  const built = /^(dist\/(esm|cjs)\/[a-z-]+\.(js|d\.ts)|dist\/cjs\/package\.json)$/
  assert.deepEqual(
    files.filter((file) => !built.test(file)),
    ['LICENSE', 'README.md', 'package.json'],
  )
}
