/** The Go client's own tests, against the service, in a folder with the README's program beside them. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { useService } from '../../e2e/harness/service.ts'
import { missing, run, setStage } from '../backend-stage.ts'

const own = fileURLToPath(new URL('.', import.meta.url))
const service = useService()
const skip = missing('go version')

/**
 * Go comes without its own library compiled. Where no program has been built yet, that takes 45 seconds of processor,
 * and without optimisation 28; Go keeps either.
 */
function compiling(): readonly string[] {
  const list = spawnSync('go', ['list', '-f', '{{.Stale}}', 'net/http'], { cwd: own, encoding: 'utf8' })
  return list.stdout.trim() === 'false' ? [] : ['-gcflags=all=-N -l']
}

let folder = ''
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countersign-go-'))
  // As its own README has it in a module of somebody's: the package inside, and a program that uses it.
  const inside = join(folder, 'internal/countersign')
  await mkdir(inside, { recursive: true })
  for (const file of await readdir(own))
    if (file.endsWith('.go')) await cp(join(own, file), join(inside, file))
  for (const table of ['written.json', 'answers.json'])
    await cp(join(own, '..', table), join(folder, 'internal', table))
  await writeFile(join(folder, 'go.mod'), 'module example.com/shop\n\ngo 1.21\n')
  const [, program] = /^```go\n(.*?)^```$/ms.exec(await readFile(join(own, 'README.md'), 'utf8')) ?? []
  await writeFile(join(folder, 'shop.go'), program ?? assert.fail('the README has no program'))
})
after(() => rm(folder, { recursive: true, force: true }))

test('the Go client and the program of its README are written as Go writes them', {
  skip,
}, async () => {
  const { stdout } = await run('gofmt', ['-l', '.'], { cwd: folder, env: {} })
  assert.equal(stdout, '', 'gofmt would write it otherwise')
})

test('the Go client passes its tests, those against the service included', { skip }, async () => {
  const env = { ...(await setStage(service())), GOTOOLCHAIN: 'local', GOFLAGS: '', GOPROXY: 'off' }
  const flags = compiling()
  await run('go', ['build', ...flags, '.'], { cwd: folder, env })
  await run('go', ['test', '-count=1', '-vet=off', ...flags, './internal/countersign'], { cwd: folder, env })
})
