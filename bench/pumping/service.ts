/** The real service on a PostgreSQL of its own, whose clock is set from outside. */
import { randomBytes } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { AppError } from '@countersign/contract'
import type { ProviderAccount } from '../../server/src/channels/channel.ts'
import { openCompany } from '../../server/src/domain/billing/index.ts'
import { loadReputation, parseClientIp } from '../../server/src/domain/guard/index.ts'
import type { Provider, Providers } from '../../server/src/domain/routing/index.ts'
import { createApp, createKey, type Principal } from '../../server/src/domain/tenancy/index.ts'
import { createIssue, lookUpDecisions, send, verify } from '../../server/src/domain/verification/index.ts'
import { loadKeyring, prepareDataKeys } from '../../server/src/platform/data-keys.ts'
import { type Database, openDatabase } from '../../server/src/platform/database.ts'
import { startThrowawayDatabase } from '../../server/src/platform/embedded-database.ts'
import type { OtpId } from '../../server/src/platform/ids.ts'
import { migrate } from '../../server/src/platform/migrate.ts'
import { makePartitions } from '../../server/src/platform/partitions.ts'

export interface Outcome {
  readonly outcome: 'sent' | 'rerouted' | 'stopped'
  readonly scope: string | null
  readonly otpId: string | null
}

export interface Service {
  readonly send: (t: number, recipient: string, clientIp: string | null) => Promise<Outcome>
  readonly approve: (t: number, otpId: string) => Promise<void>
  readonly close: () => Promise<void>
}

const daySeconds = 86_400
const account: ProviderAccount = {
  send: async () => ({ kind: 'accepted', messageId: null }),
  close: async () => {},
}
const common = { kind: 'bench', companyId: null, countries: null, priority: 0, account } as const
const channels = ['sms', 'whatsapp', 'telegram', 'email'] as const
const accounts: readonly Provider[] = channels.map((channel) => ({
  ...common,
  providerId: channel,
  channel,
  whatsappNumber: channel === 'whatsapp' ? '447000000000' : null,
}))
const providers: Providers = {
  usable: (_, channel) => accounts.filter((provider) => provider.channel === channel),
  find: (providerId) => accounts.find((provider) => provider.providerId === providerId),
  all: () => [...accounts],
}

/** Functions named like PostgreSQL's own, in a schema that is searched before `pg_catalog`. */
async function makeClock(database: Database): Promise<void> {
  await database.query({ text: 'create schema virtual' })
  await database.query({ text: 'create table virtual.clock (at timestamptz not null)' })
  await database.query({ text: 'insert into virtual.clock values (now())' })
  for (const name of ['clock_timestamp', 'now']) {
    await database.query({
      text: `create function virtual.${name}() returns timestamptz language sql volatile as 'select at from virtual.clock'`,
    })
  }
}

export interface ServiceOptions {
  readonly settings: Record<string, unknown>
  readonly ipSourcesFile: string | null
}

export async function startService({ settings, ipSourcesFile }: ServiceOptions): Promise<Service> {
  const server = await startThrowawayDatabase()
  const plain = openDatabase(server.url, 1, () => {})
  await migrate(server.url, fileURLToPath(new URL('../../server/migrations', import.meta.url)), () => {})
  await makeClock(plain)
  await plain.close()
  const url = new URL(server.url)
  url.searchParams.set('options', '-c search_path=virtual,pg_catalog,public -c synchronous_commit=off')
  const database = openDatabase(url.href.replaceAll('+', '%20'), 4, () => {})

  // A whole slot, so that times fall as they do in memory.
  const startMs = Math.floor(Date.now() / 5_000) * 5_000
  let nowMs = startMs
  let day = -1
  const clock = { nowMs: () => nowMs }
  const moveTo = async (t: number) => {
    nowMs = startMs + Math.round(t * 1000)
    await database.query({
      name: 'set-clock',
      text: 'update virtual.clock set at = to_timestamp($1::double precision / 1000)',
      values: [nowMs],
    })
    if (Math.floor(t / daySeconds) === day) return
    day = Math.floor(t / daySeconds)
    await makePartitions(database)
  }
  await moveTo(0)

  const masterKeys = { secrets: [randomBytes(32)] as const }
  await prepareDataKeys(database, masterKeys)
  const keys = await loadKeyring(database, masterKeys)
  const company = await openCompany({ database, clock }, { name: 'Trace', metered: false, balance: '0' })
  const app = await createApp({ database, clock }, company.companyId, { name: 'Trace', ...settings })
  const { keyId } = await createKey({ database, clock }, app.appId, { kind: 'server', name: null })
  const principal: Principal = { keyId, kind: 'server', app }
  const free = { sms: '0', whatsapp: '0', telegram: '0', email: '0', whatsapp_reply: '0' }
  const shared = {
    database,
    keyring: () => keys,
    clock,
    prices: async () => ({ currency: 'EUR', default: free, countries: {} }),
    reputation: await loadReputation(ipSourcesFile),
    providers,
    nudge: () => {},
    onApproved: () => {},
    countUnguarded: (error: unknown) => {
      throw error
    },
  }
  const issue = createIssue(shared)

  const isRerouted = async (otpId: string) => {
    const decisions = await lookUpDecisions(shared, principal, otpId)
    return decisions.some(({ rules }) => rules.some((rule) => rule.outcome === 'reroute'))
  }
  return {
    async send(t, recipient, address) {
      await moveTo(t)
      const parsed = address === null ? null : parseClientIp(address)
      const clientIp = parsed?.kind === 'usable' ? parsed.ip : null
      try {
        const input = { recipient, locale: null, clientIp, idempotencyKey: null }
        const { otp_id: otpId, action_url } = await send({ ...shared, issue }, principal, input)
        const outcome = action_url !== null && (await isRerouted(otpId)) ? 'rerouted' : 'sent'
        return { outcome, scope: outcome === 'rerouted' ? 'pumping' : null, otpId }
      } catch (error) {
        if (!(error instanceof AppError) || error.errorName === 'UnavailableError') throw error
        return { outcome: 'stopped', scope: String(error.details.scope ?? error.errorName), otpId: null }
      }
    },
    async approve(t, otpId) {
      await moveTo(t)
      const code = keys.code(keys.current(startMs), otpId as OtpId, 1, app.settings.code_length)
      // Too late is an ending as good as any.
      await verify(shared, principal, { otpId, code }).catch((error: unknown) => {
        if (!(error instanceof AppError) || error.errorName === 'UnavailableError') throw error
      })
    },
    async close() {
      await database.close()
      await server.close()
    },
  }
}
