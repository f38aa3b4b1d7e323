/** Runs the example as a person would who has installed the packed libraries, with one backend for each test. */
import { type ChildProcess, spawn } from 'node:child_process'
import { cp } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { TestApp } from '../../../e2e/harness/app.ts'
import { endWithTests, holdPort } from '../../../e2e/harness/process.ts'
import type { ServiceUnderTest } from '../../../e2e/harness/service.ts'
import { eventually } from '../../../e2e/harness/wait.ts'
import { installPacked, type PackedProject } from '../../../sdks/packed-project.ts'

export interface Example {
  readonly port: number
  readonly url: string
  readonly printed: () => string
  readonly stop: () => void
}

export async function installExample(): Promise<PackedProject> {
  const project = await installPacked('node', 'web')
  const source = fileURLToPath(new URL('..', import.meta.url))
  await cp(source, project.path('sign-up'), {
    recursive: true,
    filter: (path) => !path.startsWith(`${source}test`),
  })
  return project
}

/** Starts the example with keys of its own, as for any service. */
export async function startExample(
  project: PackedProject,
  { running }: ServiceUnderTest,
  app: TestApp,
): Promise<Example> {
  const port = await freePort()
  return run(project, port, {
    COUNTERSIGN_URL: running.url,
    COUNTERSIGN_KEY: app.key,
    COUNTERSIGN_PUBLISHABLE_KEY: await app.createKey('publishable'),
    COUNTERSIGN_WEBHOOK_SECRET: await app.sendEventsTo(`http://127.0.0.1:${port}/webhooks`),
    PHONES_URL: running.simulatorUrl,
  })
}

/** Starts the example against an address that is not the service, so its keys do not matter. */
export async function startExampleAt(project: PackedProject, url: string): Promise<Example> {
  return run(project, await freePort(), {
    COUNTERSIGN_URL: url,
    COUNTERSIGN_KEY: 'otp_sk_a',
    COUNTERSIGN_PUBLISHABLE_KEY: 'otp_pk_a',
    COUNTERSIGN_WEBHOOK_SECRET: 'whsec_a',
  })
}

/** Starts the example with only the place of the sandbox: it finds the first app by itself. */
export async function startExampleInSandbox(
  project: PackedProject,
  { running }: ServiceUnderTest,
  port?: number,
): Promise<Example> {
  return run(project, port ?? (await freePort()), {
    COUNTERSIGN_URL: running.url,
    PHONES_URL: running.simulatorUrl,
    DATA_DIR: running.dataDir,
  })
}

async function freePort(): Promise<number> {
  const { port, release } = await holdPort()
  await release()
  return port
}

async function run(
  project: PackedProject,
  port: number,
  environment: Readonly<Record<string, string>>,
): Promise<Example> {
  const child = spawn(process.execPath, [project.path('sign-up/server.mjs')], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env.PATH, EXAMPLE_PORT: String(port), ...environment },
  })
  endWithTests(child)
  const printed = collect(child)
  await eventually(
    'the example is up',
    () => {
      if (child.exitCode !== null) throw new Error(`the example ended:\n${printed()}`)
      return printed().includes('Ctrl-C stops it.')
    },
    Boolean,
  )
  return { port, url: `http://127.0.0.1:${port}`, printed, stop: () => child.kill('SIGTERM') }
}

function collect({ stdout, stderr }: ChildProcess): () => string {
  let text = ''
  for (const stream of [stdout, stderr])
    stream?.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk
    })
  return () => text
}
