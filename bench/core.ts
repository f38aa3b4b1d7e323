/**
 * How fast the core is on this machine: sends in batches beside sends one by one, messages handed over beside
 * sends, verifies, and a verify with many old verifications beside one with few. Real PostgreSQL, fsync on; the
 * callers share the cores.
 */
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { ProviderAccount } from '../server/src/channels/channel.ts'
import { openCompany } from '../server/src/domain/billing/index.ts'
import { Circuits } from '../server/src/domain/delivery/index.ts'
import { loadReputation } from '../server/src/domain/guard/index.ts'
import type { Provider, Providers } from '../server/src/domain/routing/index.ts'
import { createApp, createKey, type Principal } from '../server/src/domain/tenancy/index.ts'
import { createIssue, createJudge, send, verify } from '../server/src/domain/verification/index.ts'
import { DatabaseClock } from '../server/src/platform/clock.ts'
import { loadKeyring, prepareDataKeys } from '../server/src/platform/data-keys.ts'
import { openDatabase } from '../server/src/platform/database.ts'
import { startEmbeddedDatabase } from '../server/src/platform/embedded-database.ts'
import { migrate } from '../server/src/platform/migrate.ts'
import { makePartitions } from '../server/src/platform/partitions.ts'
import { startDeliveryWorker } from '../server/src/worker/deliveries.ts'

const callers = 64
const seconds = 6
const oldRows = 1_000_000

let handedOver = 0
const account: ProviderAccount = {
  send: async () => {
    handedOver++
    return { kind: 'accepted', messageId: null }
  },
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
const nextPhone = () => `+44740${String(1_000_000 + (serial++ % 8_999_999)).padStart(7, '0')}`

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
  await migrate(embedded.url, fileURLToPath(new URL('../server/migrations', import.meta.url)), () => {})
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
      ip: [{ max: 1_000_000, window_s: 1 }],
      recipient: [{ max: 1000, window_s: 60 }],
    },
    // Counted as always, and never reached.
    spend_caps: { day_by_country: { default: '1000000000' }, hour_unverified: '1000000000' },
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
  const { keyId } = await createKey({ database, clock }, app, { kind: 'server', name: null })
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
  /** What the sends before have left in the queue. */
  const rateOfWorker = async () => {
    const worker = startDeliveryWorker({
      ...shared,
      directory: { findPrincipal: async () => undefined, findApp: async () => app },
      circuits: new Circuits(),
      onSent: () => {},
      callbackUrl: () => '',
      ownTexts: new Map(),
      countAttempt: () => {},
      metrics: { setInFlight: () => {}, countTakenOver: () => {}, setUnwritten: () => {} },
      log: () => {},
    })
    await pause(1_000)
    const before = handedOver
    await pause(seconds * 1_000)
    const count = handedOver - before
    await worker.close()
    return count / seconds
  }
  const judging = { ...shared, judge: createJudge(shared) }
  const sender = (maxBatch: number, sendingApp = app) => {
    const issue = createIssue(shared, { maxRunning: 4, maxBatch, maxWaiting: 5_000 })
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
  const one = await rate(sender(1))
  const batched = await rate(sender(200))
  const unguardedRate = await rate(sender(200, unguarded))
  const handedOverRate = await rateOfWorker()

  const otpIds: string[] = []
  const startOne = sender(200)
  /** No more at once than one company may have waiting. */
  async function startMany(count: number): Promise<string[]> {
    const ids: string[] = []
    for (let left = count; left > 0; left -= 1_000) {
      const some = await Promise.all(Array.from({ length: 1_000 }, startOne))
      ids.push(...some.map(({ otp_id }) => otp_id))
    }
    return ids
  }
  otpIds.push(...(await startMany(4_000)))
  let next = 0
  const guess = () =>
    verify(judging, principal, {
      otpId: otpIds[next++ % otpIds.length] ?? '',
      code: '0000000'.slice(0, 6),
    }).catch(() => {})
  const verifies = await rate(guess)

  await database.query({ text: 'set statement_timeout = 0' })
  for (let copied = 0; copied < oldRows; copied += 50_000) {
    await database.query({
      text: `insert into verifications /* every company: rows in bulk */
             select (copy).*
               from (select jsonb_populate_record(v, jsonb_build_object('otp_id',
                              'otp_' || substr((v).otp_id, 5, 10) || upper(substr(md5(random()::text || n), 1, 16)))) as copy
                       from (select v from verifications v limit 1) one, generate_series(1, 50000) n offset 0) copied`,
    })
  }
  otpIds.splice(0, otpIds.length, ...(await startMany(4_000)))
  const verifiesFull = await rate(guess)

  const lines = [
    ['send, one transaction each', one, 1],
    ['send, in batches', batched, batched / one],
    ['send, in batches, pumping guard off', unguardedRate, unguardedRate / one],
    ['handed over to a carrier that takes it at once', handedOverRate, handedOverRate / batched],
    ['verify', verifies, 1],
    [`verify, ${oldRows / 1e6} million more in the same day`, verifiesFull, verifiesFull / verifies],
  ] as const
  console.log(`${callers} callers, ${seconds} s each, one company, one app, PostgreSQL with fsync\n`)
  for (const [name, perSecond, ratio] of lines) {
    console.log(`${name.padEnd(44)} ${String(Math.round(perSecond)).padStart(7)}/s   × ${ratio.toFixed(2)}`)
  }
} finally {
  await database.close()
  await embedded.close()
  await rm(dataDir, { recursive: true, force: true })
}
