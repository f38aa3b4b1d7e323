/** The commands of the README and of docs/api.md are run as they stand, and what they print is what the page says. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { chmod, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { fencesIn, type Pasted, pastedIn } from './harness/documents.ts'
import type { RunningService } from './harness/process.ts'
import { useService } from './harness/service.ts'
import { shapeOf } from './harness/shape.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
/** Started elsewhere, or what this test is part of. */
const notRun = /^npm (start|test)$/
const pages = ['README.md', 'docs/api.md']

for (const page of pages) {
  describe(`the calls of ${page}`, () => {
    // One of its own: each page begins with the first app as it comes, and changes it.
    const service = useService(() => ({}))
    let folder = ''
    before(async () => {
      folder = await mkdtemp(join(tmpdir(), 'countersign-documents-'))
      await symlink(service().running.dataDir, join(folder, '.data'))
      await writeFile(
        join(folder, 'curl'),
        `#!/bin/sh\nexec "${process.execPath}" "${join(root, 'e2e/harness/curl.mjs')}" "$@"\n`,
      )
      await chmod(join(folder, 'curl'), 0o755)
    })
    after(() => rm(folder, { recursive: true, force: true }))

    test('can be pasted one after the other, and answer as the page shows', {
      timeout: 600_000,
    }, async () => {
      const pasted = pastedIn(fencesIn(await readFile(join(root, page), 'utf8'))).filter(
        ({ command }) => !notRun.test(command.trim()),
      )
      assert.ok(
        pasted.some(({ answer }) => answer !== null),
        'a page without a call',
      )
      const outputs = await runAll(folder, service().running, pasted)
      const answered = pasted.flatMap(({ line, answer }, index) =>
        answer === null ? [] : [{ line, said: JSON.parse(answer), got: lastJson(outputs[index] ?? '') }],
      )
      assert.deepEqual(
        answered.map(({ line, got }) => [`${page}:${line}`, shapeOf(got)]),
        answered.map(({ line, said }) => [`${page}:${line}`, shapeOf(said)]),
      )
    })
  })
}

/** In one shell, so that what one block sets the next one has. Its first failure ends it. */
async function runAll(folder: string, running: RunningService, pasted: readonly Pasted[]): Promise<string[]> {
  const here = (text: string) =>
    text
      .replaceAll('http://localhost:3000', running.url)
      .replaceAll('http://localhost:3001', running.simulatorUrl)
  const script = pasted
    .map(({ command, line }, index) => `# line ${line}\n{\n${here(command)}\n} >out.${index} 2>err.${index}`)
    .join('\n')
  const shell = spawn('sh', ['-eu'], {
    cwd: folder,
    env: { ...process.env, PATH: `${folder}${delimiter}${process.env.PATH}` },
    stdio: ['pipe', 'inherit', 'inherit'],
  })
  shell.stdin.end(script)
  await new Promise((resolve) => shell.on('close', resolve))
  return Promise.all(
    pasted.map(async (_, index) => {
      const [out, err] = await Promise.all(
        ['out', 'err'].map((name) => readFile(join(folder, `${name}.${index}`), 'utf8').catch(() => '')),
      )
      // An answer that a variable was made from is shown by `tee` on the other stream.
      return out?.trim() ? out : (err ?? '')
    }),
  )
}

function lastJson(output: string): unknown {
  const line = output.trim().split('\n').at(-1) ?? ''
  try {
    return JSON.parse(line)
  } catch {
    return line
  }
}
