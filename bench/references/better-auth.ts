/** better-auth with its phone-number plugin on the same PostgreSQL, installed on demand and apart from our packages. */
import { type ChildProcess, execFile, fork } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { copyFile, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { Pool } from 'undici'
import { costing } from '../measuring/cpu.ts'
import { closedLoop } from '../measuring/load.ts'
import { untilSteady } from '../measuring/warm-up.ts'
import { type Bench, type Row, rateRow, type Scenario } from '../scenario.ts'

const packages = { 'better-auth': '1.7.7', pg: '8.16.3' }
const version = packages['better-auth']
const folder = fileURLToPath(new URL('../../.cache/bench/better-auth', import.meta.url))
const program = fileURLToPath(new URL('better-auth-server.mjs', import.meta.url))
const installed = join(folder, `installed-${version}`)
const installMs = 180_000
const readyMs = 30_000
const callers = 32
/** Smaller than our own warm-up, because its calls take several times as long. */
const warmUpEach = {
  quick: { roundOf: 120, mostRounds: 6, mostSeconds: 4 },
  full: { roundOf: 600, mostRounds: 12, mostSeconds: 60 },
}

export const betterAuth: Scenario = {
  name: 'better-auth',
  prepare: install,
  run: async (bench) => {
    if (!existsSync(installed)) throw new Error('it could not be installed')
    const databaseUrl = await bench.stage.makeDatabase({ isEmpty: true })
    const server = await startServer(bench, databaseUrl)
    try {
      return await measure(bench, server)
    } finally {
      server.child.kill('SIGKILL')
      await server.pool.destroy()
      await bench.stage.dropDatabase(databaseUrl)
    }
  },
}

async function install(say: Bench['say']): Promise<void> {
  await mkdir(folder, { recursive: true })
  await copyFile(program, join(folder, 'server.mjs'))
  if (existsSync(installed)) return
  say(`installing better-auth ${version}`)
  await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true, dependencies: packages }))
  const args = ['install', '--no-audit', '--no-fund', '--no-package-lock', '--ignore-scripts']
  await promisify(execFile)('npm', args, { cwd: folder, timeout: installMs })
  await writeFile(installed, '')
}

interface Server {
  readonly child: ChildProcess
  readonly pool: Pool
  readonly codeOf: (phone: string) => Promise<string>
}

async function startServer({ stage }: Bench, databaseUrl: string): Promise<Server> {
  const codes = new Map<string, string>()
  const waiting = new Map<string, (code: string) => void>()
  const child = fork(join(folder, 'server.mjs'), {
    env: { PATH: process.env.PATH, DATABASE_URL: databaseUrl, SECRET: randomBytes(32).toString('hex') },
    execArgv: [],
  })
  stage.adopt(child)
  const port = await new Promise<number>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('it did not start in time')), readyMs)
    child.once('exit', () => reject(new Error('it ended while starting')))
    child.on('message', (message: { port?: number; to?: string; code?: string }) => {
      const { port: ready, to = '', code = '' } = message
      if (ready) {
        clearTimeout(timer)
        resolve(ready)
        return
      }
      const wanted = waiting.get(to)
      waiting.delete(to)
      if (wanted) wanted(code)
      else codes.set(to, code)
    })
  })
  const codeOf = (phone: string) => {
    const code = codes.get(phone)
    codes.delete(phone)
    return code ? Promise.resolve(code) : new Promise<string>((resolve) => waiting.set(phone, resolve))
  }
  return { child, codeOf, pool: new Pool(`http://127.0.0.1:${port}`, { connections: callers }) }
}

async function measure(
  { stage, seconds, isQuick, found }: Bench,
  { child, pool, codeOf }: Server,
): Promise<Row[]> {
  let serial = 0
  const nextPhone = () => `+4475${String(++serial).padStart(8, '0')}`
  const post = async (path: string, body: object): Promise<void> => {
    const answer = await pool.request({
      method: 'POST',
      path: `/api/auth/phone-number/${path}`,
      headers: { 'content-type': 'application/json', origin: 'http://127.0.0.1' },
      body: JSON.stringify(body),
    })
    const text = await answer.body.text()
    if (answer.statusCode !== 200)
      throw new Error(`${path} was answered ${answer.statusCode}: ${text.slice(0, 200)}`)
  }
  const send = async () => {
    const phoneNumber = nextPhone()
    await post('send-otp', { phoneNumber })
    return phoneNumber
  }
  const cycle = async () => {
    const phoneNumber = await send()
    await post('verify', { phoneNumber, code: await codeOf(phoneNumber) })
  }
  const pids = { service: child.pid ?? 0, database: stage.postmaster }
  const warmUp = isQuick ? warmUpEach.quick : warmUpEach.full
  const loop = (call: () => Promise<unknown>, id: string, what: string, ours: string) =>
    costing(pids, () =>
      // `call` uses the connections of a pool, so the port is not used.
      closedLoop(0, async () => void (await call()), { seconds, callers }),
    ).then(({ result, costs }) =>
      rateRow(id, `better-auth ${version}, ${what}`, result, { costs, beside: ours }),
    )
  // Like our service, it is measured warm.
  await untilSteady(warmUp, () =>
    costing(pids, () => closedLoop(0, cycle, { seconds: warmUp.mostSeconds, callers, most: warmUp.roundOf })),
  )
  const rows = [
    await loop(send, 'better-auth-send', 'send', 'send-auto'),
    await loop(cycle, 'better-auth-cycle', 'cycle', 'cycle'),
  ]
  const [, theirs] = rows
  const ours = found('cycle')
  if (!ours || !theirs) return rows
  const what = 'our cycle by that of better-auth'
  return [...rows, { id: 'cycle-by-better-auth', what, value: ours.value / theirs.value, unit: '' }]
}
