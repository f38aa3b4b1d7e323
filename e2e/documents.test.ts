/**
 * The commands of the README, the guide, the recipes, the gateways, docs/api.md and the pages that continue it are run
 * as they are written, and must print what the page shows.
 */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { mkdtemp, readFile, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { offerCurl } from './harness/curl.ts'
import { fencesIn, type Pasted, pastedIn } from './harness/documents.ts'
import type { RunningService } from './harness/process.ts'
import { type ServiceUnderTest, useService } from './harness/service.ts'
import { shapeOf } from './harness/shape.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
/** Not run: the start of the service, the tests themselves, and calls to other services. */
const notRun = /^npm (start|test)$|curl -s https:/
const recipes = ['device-flow', 'routing-by-country', 'whatsapp-first', 'link-modes']
/** These pages come last, because they create an account that would carry all later messages. */
const gateways = readdirSync(join(root, 'docs/gateways'))
  .filter((name) => name !== 'by-its-documentation.md')
  .map((name) => `docs/gateways/${name}`)
const pages: readonly (readonly string[])[] = [
  [
    'README.md',
    'docs/guide.md',
    ...recipes.map((name) => `docs/recipes/${name}.md`),
    'docs/gateways.md',
    ...gateways,
  ],
  ['docs/api.md', 'docs/rules.md', 'docs/alerts.md'],
]
/** The page whose first block sets the variables that a page uses but does not set itself. */
const goesOnFrom: Readonly<Record<string, string>> = {
  ...Object.fromEntries(gateways.map((page) => [page, 'docs/gateways.md'])),
  'docs/rules.md': 'docs/api.md',
  'docs/alerts.md': 'docs/api.md',
}

for (const together of pages) {
  describe(`the calls of ${together.slice(0, 2).join(', ')}${together.length > 2 ? ' …' : ''}`, () => {
    const service = useService(() => ({}))
    let folder = ''
    let curl: Awaited<ReturnType<typeof offerCurl>> | undefined
    before(async () => {
      folder = await mkdtemp(join(tmpdir(), 'countersign-documents-'))
      await symlink(service().running.dataDir, join(folder, '.data'))
      curl = await offerCurl(folder)
    })
    after(async () => {
      await curl?.close()
      await rm(folder, { recursive: true, force: true })
    })

    for (const page of together) {
      test(`${page}: can be pasted one after the other, and answer as the page shows`, async () => {
        await resetFirstApp(service())
        const pasted = await readCalls(page)
        assert.ok(pasted.length > 0, 'a page without a call')
        const answers = (await runAll(folder, service().running, pasted)).map(lastJson)
        const shown = (index: number) => pasted[index]?.answer ?? null
        assert.deepEqual(
          answers.map((got, index) => [
            `${page}:${pasted[index]?.line}`,
            shown(index) === null ? refusalIn(got) : shapeOf(got),
          ]),
          pasted.map(({ line, answer }) => [
            `${page}:${line}`,
            answer === null ? null : shapeOf(JSON.parse(answer)),
          ]),
        )
      })
    }
  })
}

async function readCalls(page: string): Promise<Pasted[]> {
  const calls = pastedIn(fencesIn(await readFile(join(root, page), 'utf8'))).filter(
    ({ command }) => !notRun.test(command.trim()),
  )
  const before = goesOnFrom[page]
  return before === undefined ? calls : [...(await readCalls(before)).slice(0, 1), ...calls]
}

/** Each page starts with the first app as it was created, whatever the page before changed. */
async function resetFirstApp({ running, caller }: ServiceUnderTest): Promise<void> {
  const { app_id: appId } = JSON.parse(await readFile(join(running.dataDir, 'first-app.json'), 'utf8'))
  const { status } = await caller.call('PATCH', `/manage/v1/apps/${appId}`, {
    key: running.adminToken,
    body: { routing: null, channels: null, geo: null },
  })
  assert.equal(status, 200)
}

const refusalIn = (answer: unknown): unknown =>
  typeof answer === 'object' && answer !== null && 'error' in answer ? answer.error : null

let runs = 0

/** All blocks run in one shell, so that a block has the variables of those before it. The first failure ends it. */
async function runAll(folder: string, running: RunningService, pasted: readonly Pasted[]): Promise<string[]> {
  const here = (text: string) =>
    text
      .replaceAll('http://localhost:3000', running.url)
      .replaceAll('http://localhost:3001', running.simulatorUrl)
  // Numbered, so that output of another page is not read as this one's.
  const run = runs++
  const script = pasted
    .map(
      ({ command, line }, index) =>
        `# line ${line}\n{\n${here(command)}\n} >out.${run}.${index} 2>err.${run}.${index}`,
    )
    .join('\n')
  const shell = spawn('sh', ['-eu'], {
    cwd: folder,
    env: { ...process.env, PATH: `${folder}${delimiter}${process.env.PATH}` },
    stdio: ['pipe', 'inherit', 'inherit'],
  })
  shell.stdin.end(script)
  const exit = await new Promise((resolve) => shell.on('close', resolve))
  const outputs = await Promise.all(
    pasted.map(async (_, index) => {
      const [out, err] = await Promise.all(
        ['out', 'err'].map((name) =>
          readFile(join(folder, `${name}.${run}.${index}`), 'utf8').catch(() => ''),
        ),
      )
      // Where an answer is piped into a variable, the page shows it with `tee` on stderr.
      return out?.trim() ? out : (err ?? '')
    }),
  )
  assert.equal(exit, 0, outputs.at(-1) || outputs.join('\n'))
  return outputs
}

function lastJson(output: string): unknown {
  const line = output.trim().split('\n').at(-1) ?? ''
  try {
    return JSON.parse(line)
  } catch {
    return line
  }
}
