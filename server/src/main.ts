/** Reads the config, starts the service, says where everything is, stops cleanly. */
import { relative } from 'node:path'
import { type Config, ConfigError, readConfig } from './config.ts'
import { createLog } from './platform/log.ts'
import { type FirstApp, firstAppFile } from './sandbox/first-app.ts'
import { type Service, startService } from './service.ts'

const stopMs = 20_000

export async function runService(): Promise<void> {
  try {
    const config = readConfig()
    const log = createLog(config.logLevel)
    const stopped = stopSignal()
    const service = await startService(config, log, (line) => console.log(`· ${line}`))
    console.log(greeting(config, service))
    await stopped
    console.log('Stopping…')
    setTimeout(() => process.exit(1), stopMs).unref()
    await service.close()
    process.exit(0)
  } catch (error) {
    console.error(explain(error))
    process.exit(1)
  }
}

/** A second signal does not wait. */
function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    let count = 0
    const stop = () => {
      resolve()
      if (++count > 1) process.exit(1)
    }
    process.on('SIGINT', stop)
    process.on('SIGTERM', stop)
  })
}

function explain(error: unknown): string {
  if (error instanceof ConfigError) return `Countersign cannot start:\n${error.message}`
  if (!(error instanceof Error)) return 'Countersign cannot start.'
  const { code, port } = error as NodeJS.ErrnoException & { port?: number }
  if (code === 'EADDRINUSE') return `Countersign cannot start: port ${port} is taken. Set PORT to a free one.`
  return `Countersign cannot start: ${error.message}`
}

function greeting(config: Config, { url, phonesUrl, firstApp, signInLink }: Service): string {
  if (config.role === 'worker') return '\nCountersign is ready: a worker.\n\nCtrl-C stops it.\n'
  const here = (name: string) => relative(process.cwd(), `${config.dataDir}/${name}`) || name
  const lines = ['', 'Countersign is ready.', '', `  Dashboard        ${signInLink ?? `${url}/dashboard`}`]
  if (signInLink) lines.push('                   (signs you in once, within the hour)')
  lines.push(`  API reference    ${url}/docs`)
  if (phonesUrl) lines.push(`  Phones           ${phonesUrl}   (the simulator: every message arrives here)`)
  if (config.adminToken === null) lines.push(`  Operator's token ${here('admin-token')}`)
  lines.push(...(firstApp ? firstSteps(url, phonesUrl, firstApp, here(firstAppFile)) : setUpHint))
  return [...lines, '', 'Ctrl-C stops it.', ''].join('\n')
}

const setUpHint = ['', 'Make companies, apps and keys with: npm run countersign -- help']

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
