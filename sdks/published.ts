/** Checks a tarball with the tools for published packages. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { publint } from 'publint'

const attw = fileURLToPath(
  new URL('dist/index.js', import.meta.resolve('@arethetypeswrong/cli/package.json')),
)

/** Checks entry points, formats and declared files. */
export async function assertPublishable(tarball: string): Promise<void> {
  const { buffer } = Uint8Array.from(await readFile(tarball))
  const { messages } = await publint({ strict: true, pack: { tarball: buffer } })
  assert.deepEqual(messages, [])
}

/** Checks that each way to import the package finds the matching types. */
export async function assertTypesFit(tarball: string): Promise<void> {
  const args = [attw, tarball, '--no-definitely-typed', '--format', 'ascii', '--no-emoji', '--no-color']
  const { stdout } = await promisify(execFile)(process.execPath, args).catch((error) =>
    assert.fail(`${error.stdout}${error.stderr}`),
  )
  assert.match(stdout, /No problems found/)
}

/** Checks that the package has the built files, and what npm requires of every package. */
export function assertHoldsWhatWasBuilt(files: readonly string[]): void {
  const built = /^(dist\/(esm|cjs)\/[a-z-]+\.(js|d\.ts)|dist\/cjs\/package\.json)$/
  assert.deepEqual(
    files.filter((file) => !built.test(file)),
    ['LICENSE', 'README.md', 'package.json'],
  )
}
