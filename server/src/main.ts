/** Reads the config, starts the service, prints where everything is, and stops cleanly. */
import cluster from 'node:cluster'
import { once } from 'node:events'
import { relative, resolve } from 'node:path'
import { exits } from './cli/command.ts'
import { sentenceOf, whyAway } from './cli/reach.ts'
import { type Config, readConfig, slipsIn } from './config.ts'
import { ConfigError } from './platform/config-error.ts'
import { createLog } from './platform/log.ts'
import { UnfitError } from './platform/migrate.ts'
import { onStopSignals, stopSeconds } from './platform/stop-signals.ts'
import { runChild } from './processes/child.ts'
import { startProcesses } from './processes/parent.ts'
import { type FirstApp, firstAppFile } from './sandbox/first-app.ts'
import { type Service, startService } from './service.ts'

/** `program` is the file that further processes run. */
export async function runService(program: string): Promise<void> {
  if (cluster.isWorker) return runChild()
  let drainMs = 0
  const { signal } = stopOnSignals(() => drainMs)
  try {
    const config = readConfig()
    drainMs = config.drainSeconds * 1_000
    const progress = (line: string) => console.log(`· ${line}`)
    slipsIn().forEach(progress)
    const isOne = config.processes === 1
    const starting = { log: createLog(config.logLevel, isOne ? null : process.pid), progress, signal }
    const service = isOne
      ? await startService(config, starting)
      : await startProcesses(config, starting, program)
    console.log(greeting(config, service))
    if (!signal.aborted) await once(signal, 'abort')
    await service.close()
  } catch (error) {
    // A start that was aborted fails somewhere, which is expected.
    if (!signal.aborted) {
      console.error(explain(error))
      process.exit(exitOf(error))
    }
  }
  console.log('Stopped.')
  process.exit(0)
}

/** Aborted at the first signal. If the process then exits at once, its `exit` event still stops its child programs. */
function stopOnSignals(drainMs: () => number): AbortController {
  const stop = new AbortController()
  // A terminal that was closed takes no more lines.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
  const giveUp = (reason: string) => {
    console.error(`${reason} What was under way is taken up at the next start.`)
    process.exit(1)
  }
  onStopSignals(
    (request) => {
      console.log('\nStopping… (press again to end it at once)')
      const limitMs = stopSeconds * 1_000 + (request.drains ? drainMs() : 0)
      setTimeout(giveUp, limitMs, `It has not stopped within ${limitMs / 1000} seconds.`).unref()
      stop.abort(request)
    },
    () => giveUp('Ended at once.'),
  )
  return stop
}

/** The same codes as for commands: if settings are wrong, a supervisor need not start it again. */
const exitOf = (error: unknown) =>
  error instanceof ConfigError
    ? exits.usage
    : error instanceof UnfitError || whyAway(error)
      ? exits.away
      : exits.no

function explain(error: unknown): string {
  if (error instanceof ConfigError) return `Countersign cannot start:\n${error.message}`
  if (!(error instanceof Error)) return 'Countersign cannot start.'
  const away = whyAway(error)
  return `Countersign cannot start: ${away ? sentenceOf(away) : error.message}`
}

function greeting(config: Config, { url, phonesUrl, firstApp, signInLink }: Service): string {
  if (config.role === 'worker') return '\nCountersign is ready: a worker.\n\nCtrl-C stops it.\n'
  const here = (name: string) => {
    const path = resolve(config.dataDir, name)
    const near = relative(process.cwd(), path)
    return near.startsWith('..') ? path : near
  }
  const lines = ['', 'Countersign is ready.', '', `  Dashboard        ${signInLink ?? `${url}/dashboard`}`]
  if (signInLink) lines.push('                   (signs you in once, within the hour)')
  lines.push(`  Documents        ${url}/docs`)
  if (phonesUrl) lines.push(`  Phones           ${phonesUrl}   (the simulator: every message arrives here)`)
  if (config.adminToken === null) lines.push(`  Operator's token ${here('admin-token')}`)
  lines.push(...(firstApp ? firstSteps(url, phonesUrl, firstApp, here(firstAppFile)) : setUpHint))
  return [...lines, '', 'Ctrl-C stops it.', ''].join('\n')
}

const setUpHint = [
  '',
  'Make companies, apps and keys in the dashboard, or on the command line: countersign help',
  '(in a clone: npm run countersign -- help)',
]

function firstSteps(
  url: string,
  phonesUrl: string | null,
  { server_key }: FirstApp,
  keysFile: string,
): string[] {
  const call = (path: string, body: string) => [
    '',
    `  curl -s -w '\\n' ${url}/api/v1/otp/${path} \\`,
    `    -H "Authorization: Bearer ${server_key}" \\`,
    '    -H "Content-Type: application/json" \\',
    `    -d '${body}'`,
    '',
  ]
  return [
    `  First app's keys ${keysFile}`,
    '',
    'Start a verification:',
    ...call('send', '{"recipient": "+447400123456"}'),
    phonesUrl ? `See it arrive at ${phonesUrl}/#+447400123456 and check the code:` : 'Check the code:',
    ...call('verify', '{"otp_id": "<otp_id>", "code": "<code>"}').slice(0, -1),
  ]
}
