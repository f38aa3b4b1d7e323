/**
 * How fast the core is on this machine: sends in batches beside sends one by one, verifies, and a verify with
 * many old verifications beside one with few. Real PostgreSQL, fsync on; the callers share the cores.
 */
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ProviderAccount } from '../../server/src/channels/channel.ts'
import { openCompany } from '../../server/src/domain/billing/index.ts'
import { loadReputation } from '../../server/src/domain/guard/index.ts'
import type { Provider, Providers } from '../../server/src/domain/routing/index.ts'
import { createApp, createKey, type Principal } from '../../server/src/domain/tenancy/index.ts'
import { createIssue, send, verify } from '../../server/src/domain/verification/index.ts'
import { DatabaseClock } from '../../server/src/platform/clock.ts'
import { loadKeyring, prepareDataKeys } from '../../server/src/platform/data-keys.ts'
import { openDatabase } from '../../server/src/platform/database.ts'
import { startEmbeddedDatabase } from '../../server/src/platform/embedded-database.ts'
import { migrate } from '../../server/src/platform/migrate.ts'
import { makePartitions } from '../../server/src/platform/partitions.ts'

const callers = 64
const seconds = 6
const oldRows = 1_000_000

const account: ProviderAccount = {
  send: async () => ({ kind: 'accepted', messageId: null }),
  close: async () => {},
}
const provider: Provider = {
  providerId: 'bench',
  kind: 'bench',
  channel: 'sms',
  companyId: null,
  countries: null,
  priority: 0,
  whatsappNumber: null,
  account,
}
const providers: Providers = {
  usable: (_, channel) => (channel === 'sms' ? [provider] : []),
  find: () => provider,
  all: () => [provider],
}

let serial = 0
const nextPhone = () => { serial++; return `+447${['40','41','42','43','46','47','51','53','54','55'][serial % 10]}${String((serial * 7907919) % 10000000).padStart(7,'0')}` }

/** Calls per second of `call`, made by as many callers at once, after a short warm-up. */
async function rate(call: () => Promise<unknown>): Promise<number> {
  const run = async (runSeconds: number) => {
    const end = performance.now() + runSeconds * 1000
    let count = 0
    await Promise.all(
      Array.from({ length: callers }, async () => {
        while (performance.now() < end) {
          await call()
          count++
        }
      }),
    )
    return count / runSeconds
  }
  await run(1)
  return run(seconds)
}

const dataDir = await mkdtemp(join(tmpdir(), 'countersign-bench-'))
const embedded = await startEmbeddedDatabase({ dataDir, log: () => {} })
const database = openDatabase(embedded.url, 20, () => {})
try {
  await migrate(embedded.url, fileURLToPath(new URL('../../server/migrations', import.meta.url)), () => {})
  await makePartitions(database)
  const masterKeys = { secrets: [randomBytes(32)] as const }
  await prepareDataKeys(database, masterKeys)
  const keys = await loadKeyring(database, masterKeys)
  const clock = new DatabaseClock()
  const company = await openCompany(
    { database, clock },
    { name: 'Bench', metered: true, balance: '1000000000' },
  )
  const settings = {
    limits: {
      app: [{ max: 1_000_000, window_s: 1 }],
      app_without_ip: [{ max: 999_999, window_s: 1 }],
      recipient: [{ max: 1000, window_s: 60 }],
    },
  }
  // Nothing here is ever approved, so the guard against pumping works, but must not act.
  const app = await createApp({ database, clock }, company.companyId, {
    name: 'Bench',
    ...settings,
    pumping: { mode: 'monitor' },
  })
  const unguarded = await createApp({ database, clock }, company.companyId, {
    name: 'Unguarded',
    ...settings,
    pumping: { mode: 'off' },
  })
  const { keyId } = await createKey({ database, clock }, app.appId, { kind: 'server', name: null })
  const principal: Principal = { keyId, kind: 'server', app }
  const book = {
    currency: 'EUR',
    default: { sms: '0.05', whatsapp: '0', telegram: '0', email: '0', whatsapp_reply: '0' },
    countries: {},
  }
  const shared = {
    database,
    keyring: () => keys,
    clock,
    prices: async () => book,
    reputation: await loadReputation(null),
    providers,
    nudge: () => {},
    countUnguarded: () => {},
    onApproved: () => {},
  }
  const sender = (maxBatch: number, sendingApp = app) => {
    const issue = createIssue(shared, { lanes: 4, maxBatch, maxWaiting: 5_000 })
    return () =>
      send(
        { ...shared, issue },
        { ...principal, app: sendingApp },
        {
          recipient: nextPhone(),
          locale: null,
          clientIp: null,
          idempotencyKey: null,
        },
      )
  }

  const on = sender(200, app), off = sender(200, unguarded)
  const slice = async (call: () => Promise<unknown>, ms: number) => { const end = performance.now() + ms; let n = 0; const t0 = performance.now(); const c0 = process.cpuUsage(); await Promise.all(Array.from({ length: callers }, async () => { while (performance.now() < end) { await call(); n++ } })); const c = process.cpuUsage(c0); cpu.push((c.user + c.system) / n); return n / ((performance.now() - t0) / 1000) }
  const cpu: number[] = []
  await slice(on, 1500); await slice(off, 1500); cpu.length = 0
  const ons: number[] = [], offs: number[] = []
  for (let i = 0; i < 12; i++) { ons.push(await slice(on, 1000)); offs.push(await slice(off, 1000)) }
  const med = (l: number[]) => [...l].sort((x, y) => x - y)[Math.floor(l.length / 2)]!
  const sum = (l: number[]) => l.reduce((x, y) => x + y, 0)
  console.log('on', ons.map(Math.round).join(' '), 'off', offs.map(Math.round).join(' '))
  console.log('node cpu us per send on', med(cpu.filter((_, i) => i % 2 === 0)), 'off', med(cpu.filter((_, i) => i % 2 === 1)))
  console.log('median on', med(ons), 'off', med(offs), 'ratio of sums', sum(ons) / sum(offs), 'median of pairs', med(ons.map((x, i) => x / offs[i]!)))
} finally {
  await database.close()
  await embedded.close()
  await rm(dataDir, { recursive: true, force: true })
}
