/** Two API nodes, two workers, one PostgreSQL, one simulator and an endpoint, with a cable between each two. */
import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { createManagement } from '../../../sdks/node/src/index.ts'
import { Cable } from './cable.ts'
import { type Endpoint, openEndpoint } from './endpoint.ts'
import { NodeProcess } from './node-process.ts'
import {
  findPrograms,
  freePort,
  type Postgres,
  type SimulatorProcess,
  smppAccount,
  startPostgres,
  startSimulator,
  telegramToken,
} from './programs.ts'
import { Troubles } from './troubles.ts'

/** A change is in force at every node after this time. */
const inForceMs = 1_000
/** How many sends one recipient may have in ten minutes. */
export const recipientLimit = 2

export interface Installation {
  readonly apis: readonly NodeProcess[]
  readonly workers: readonly NodeProcess[]
  readonly cables: Readonly<Record<string, Cable>>
  readonly postgres: Postgres
  readonly simulator: SimulatorProcess
  readonly endpoint: Endpoint
  readonly database: pg.Pool
  readonly troubles: Troubles
  readonly keys: Readonly<Record<'sms' | 'telegram', string>>
  readonly enableEndpoints: () => Promise<void>
  readonly close: () => Promise<void>
}

export async function openInstallation(random: () => number): Promise<Installation> {
  const programs = await findPrograms()
  const [postgres, simulator, endpoint] = await Promise.all([
    startPostgres(),
    startSimulator(programs.simulator),
    openEndpoint(),
  ])
  const delayMs = () => 20 + random() * 200
  const cables: Record<string, Cable> = {}
  const lay = async (name: string, target: () => number) => {
    const cable = new Cable(target, delayMs)
    cables[name] = cable
    return cable.listen()
  }
  const apis: NodeProcess[] = []
  let turn = 0
  // Carriers call back through this cable, which leads to any running node.
  const front = await lay('front', () => {
    const up = apis.filter(({ state }) => state === 'running')
    return (up[turn++ % Math.max(1, up.length)] ?? apis[0])?.port ?? 0
  })
  const shared = {
    NODE_EXTRA_CA_CERTS: programs.certificate,
    MASTER_KEY: randomBytes(32).toString('base64'),
    ADMIN_TOKEN: randomBytes(24).toString('hex'),
    PUBLIC_URL: `http://127.0.0.1:${front}`,
    ALLOWED_RANGES: '127.0.0.0/8',
    SIMULATOR: 'off',
    DATABASE_CONNECTIONS: '8',
    LOG_LEVEL: 'warn',
  }
  const make = async (name: string, role: 'api' | 'worker') => {
    const databaseUrl = new URL(postgres.url)
    databaseUrl.port = String(await lay(`${name}-database`, () => Number(new URL(postgres.url).port)))
    return new NodeProcess(name, await freePort(), programs, {
      ...shared,
      ROLE: role,
      DATABASE_URL: databaseUrl.href,
    })
  }
  apis.push(await make('api-1', 'api'), await make('api-2', 'api'))
  const workers = [await make('worker-1', 'worker'), await make('worker-2', 'worker')]
  // One after the other, because the first one migrates the database.
  for (const node of [...apis, ...workers]) await node.start()

  const database = new pg.Pool({ connectionString: postgres.url, max: 3 })
  database.on('error', () => {})
  const carriers = {
    telegram: await lay('telegram', () => simulator.httpPort),
    smpp: await lay('smpp', () => simulator.smppPort),
    endpoint: await lay('endpoint', () => endpoint.port),
  }
  const management = createManagement(shared.ADMIN_TOKEN, { baseUrl: `http://127.0.0.1:${apis[0]?.port}` })
  const { keys, appIds } = await setUp(management, carriers)
  // The settings were made at one node, and clients call both.
  await pause(inForceMs)
  return {
    apis,
    workers,
    cables,
    postgres,
    simulator,
    endpoint,
    database,
    troubles: new Troubles(),
    keys,
    enableEndpoints: async () => {
      for (const app_id of appIds) await management.enableWebhook({ params: { app_id } }).catch(() => {})
    },
    close: async () => {
      await Promise.all([...apis, ...workers].map((node) => node.stop()))
      for (const cable of Object.values(cables)) cable.close()
      endpoint.close()
      simulator.close()
      await database.end()
      await postgres.close()
      await programs.remove()
    },
  }
}

async function setUp(
  management: ReturnType<typeof createManagement>,
  carriers: { readonly telegram: number; readonly smpp: number; readonly endpoint: number },
) {
  await management.createProvider({
    body: {
      channel: 'sms',
      kind: 'smpp',
      settings: { host: '127.0.0.1', port: carriers.smpp, source_addr: 'Shop', ...smppAccount },
    },
  })
  await management.createProvider({
    body: {
      channel: 'telegram',
      kind: 'telegram',
      settings: { token: telegramToken, base_url: `http://127.0.0.1:${carriers.telegram}/telegram` },
    },
  })
  const { company_id } = await management.createCompany({ body: { name: 'Shop', balance: '1000' } })
  const keys = { sms: '', telegram: '' }
  const appIds: string[] = []
  for (const channel of ['sms', 'telegram'] as const) {
    const { app_id } = await management.createApp({
      params: { company_id },
      body: {
        name: 'Shop',
        routing: { default: [channel] },
        pumping: { mode: 'off' },
        spend_caps: { day_by_country: { default: 'off' }, hour_unverified: 'off' },
        limits: {
          // Longer than any run: sends without an answer are repeated at its end.
          recipient: [{ max: recipientLimit, window_s: 86_400 }],
          recipient_failures: [{ max: 1_000, window_s: 86_400 }],
          app_without_ip: [{ max: 100_000, window_s: 60 }],
          ip: [{ max: 1_000_000, window_s: 60 }],
          app: [{ max: 1_000_000, window_s: 60 }],
        },
      },
    })
    appIds.push(app_id)
    keys[channel] = (await management.createKey({ params: { app_id }, body: { kind: 'server' } })).key
    await management.putWebhook({
      params: { app_id },
      body: { url: `https://127.0.0.1:${carriers.endpoint}/hook` },
    })
  }
  return { keys, appIds }
}
