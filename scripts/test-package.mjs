/**
 * `npm run test:package`: packs, installs the tarball into an empty folder as a user would, and starts it there. Not part
 * of `npm test`, since it downloads every library.
 */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pack } from './pack.mjs'
import { prepare } from './prepare.mjs'

const startMs = 120_000

await prepare()
const folder = mkdtempSync(join(tmpdir(), 'countersign-package-'))
try {
  const tarball = pack(folder)
  const run = (command, args) => execFileSync(command, args, { cwd: folder, encoding: 'utf8' })
  run('npm', ['init', '--yes'])
  run('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', tarball])
  console.log(`installed ${run('npx', ['countersign', '--version']).trim()}`)
  await startIn(folder)
  console.log('it starts, answers and stops')
} finally {
  rmSync(folder, { recursive: true, force: true })
}

async function startIn(cwd) {
  const ports = { PORT: '0', SIMULATOR_PORT: '0', SIMULATOR_SMTP_PORT: '0', SIMULATOR_SMPP_PORT: '0' }
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, DATA_DIR: join(cwd, 'data'), ...ports }
  const service = spawn(join(cwd, 'node_modules/.bin/countersign'), [], { cwd, env })
  let output = ''
  for (const stream of [service.stdout, service.stderr]) stream.on('data', (text) => (output += text))
  const exit = once(service, 'exit')
  const giveUp = setTimeout(() => service.kill('SIGKILL'), startMs)
  while (!output.includes('Ctrl-C stops it.') && service.exitCode === null && !service.signalCode)
    await new Promise((resolve) => setTimeout(resolve, 100))
  const [, url] = /Documents\s+(http:\S+)\/docs/.exec(output) ?? []
  const ready = url && (await fetch(`${url}/readyz`).then(({ ok }) => ok))
  const page = url && (await fetch(`${url}/dashboard`).then(({ ok }) => ok))
  service.kill('SIGTERM')
  const [code] = await exit
  clearTimeout(giveUp)
  if (!ready || !page || code !== 0) {
    console.error(output)
    throw new Error(`ready: ${ready}, dashboard: ${page}, exit: ${code}`)
  }
}
