/** The real service, without HTTP and carriers, on a database whose clock follows the trace. */
import { randomBytes } from 'node:crypto'
import { AppError } from '@countersign/contract'
import type { ProviderAccount } from '../../server/src/channels/channel.ts'
import { openCompany } from '../../server/src/domain/billing/index.ts'
import { leftForOthers } from '../../server/src/domain/delivery/index.ts'
import { parseClientIp, watchReputation } from '../../server/src/domain/guard/index.ts'
import type { Provider, Providers } from '../../server/src/domain/routing/index.ts'
import { createApp, createKey, type Principal } from '../../server/src/domain/tenancy/index.ts'
import {
  createIssue,
  createJudge,
  lookUpDecisions,
  send,
  verify,
} from '../../server/src/domain/verification/index.ts'
import { openWhole } from '../../server/src/platform/closers.ts'
import { loadKeyring, prepareDataKeys } from '../../server/src/platform/data-keys.ts'
import type { OtpId } from '../../server/src/platform/ids.ts'
import { FileError } from './trace.ts'
import { type BenchClosers, openVirtualDatabase, stages } from './virtual-database.ts'

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

export interface ServiceOptions {
  readonly settings: Record<string, unknown>
  readonly ipSourcesFile: string | null
}

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
const free = { sms: '0', whatsapp: '0', telegram: '0', email: '0', whatsapp_reply: '0' }
/** Lists are read once: a replay takes minutes. */
const pollListsMs = 3_600_000
/** A whole slot, so that times fall as they do in memory. */
const slotMs = 5_000

export const startService = (options: ServiceOptions): Promise<Service> =>
  openWhole(stages, { log: () => {}, onWaiting: () => {} }, (closers) => open(closers, options))

async function open(
  closers: BenchClosers,
  { settings, ipSourcesFile }: ServiceOptions,
): Promise<Omit<Service, 'close'>> {
  const reputation = await readLists(closers, ipSourcesFile)
  const startMs = Math.floor(Date.now() / slotMs) * slotMs
  const { database, nowMs, moveTo } = await openVirtualDatabase(closers, startMs)
  const clock = { nowMs }
  const masterKeys = { secrets: [randomBytes(32)] as const }
  await prepareDataKeys(database, masterKeys)
  const keys = await loadKeyring(database, masterKeys)
  const company = await openCompany({ database, clock }, { name: 'Trace', metered: false, balance: '0' })
  const app = await createApp({ database, clock }, company.companyId, {
    name: 'Trace',
    ...settings,
    // A trace is about what the guard stops, so it acts from the first send unless the settings say otherwise.
    pumping: { mode: 'enforce', ...(settings.pumping ?? {}) },
  })
  const { keyId } = await createKey({ database, clock }, app, { kind: 'server', name: null })
  const principal: Principal = { keyId, kind: 'server', app }
  const shared = {
    database,
    keyring: () => keys,
    clock,
    prices: async () => ({ currency: 'EUR', default: free, countries: {} }),
    reputation,
    providers,
    handOver: leftForOthers,
    routeKnowledge: { of: async () => null },
    routeBook: { saved: () => {} },
    random: Math.random,
    noteRefusal: () => {},
    prove: async () => null,
    onApproved: () => {},
    countUnguarded: (error: unknown) => {
      throw error
    },
  }
  const issue = createIssue(shared)
  const judge = createJudge(shared)
  const isRerouted = async (otpId: string) => {
    const decisions = await lookUpDecisions(shared, principal, otpId)
    return decisions.some(({ rules }) => rules.some((rule) => rule.outcome === 'reroute'))
  }
  return {
    async send(t, recipient, address) {
      await moveTo(t)
      const parsed = address === null ? null : parseClientIp(address)
      if (parsed?.kind === 'malformed') return { outcome: 'stopped', scope: 'ValidationError', otpId: null }
      const clientIp = parsed?.kind === 'usable' ? parsed.ip : null
      const input = { recipient, locale: null, clientIp, idempotencyKey: null }
      try {
        const { otp_id: otpId, action_url } = await send({ ...shared, issue }, principal, input)
        const outcome = action_url !== null && (await isRerouted(otpId)) ? 'rerouted' : 'sent'
        return { outcome, scope: outcome === 'rerouted' ? 'pumping' : null, otpId }
      } catch (error) {
        return { outcome: 'stopped', scope: scopeOf(error), otpId: null }
      }
    },
    async approve(t, otpId) {
      await moveTo(t)
      const code = keys.code(keys.current(startMs), otpId as OtpId, 1, app.settings.code_length)
      // Too late is an ending as good as any.
      await verify({ ...shared, judge }, principal, { otpId, code }).catch(scopeOf)
    },
  }
}

async function readLists(closers: BenchClosers, ipSourcesFile: string | null) {
  const reputation = await watchReputation(ipSourcesFile, {
    cacheFolder: null,
    pollMs: pollListsMs,
    onChange: ({ name, problem }) => console.error(`The list ${name} cannot be relied on (${problem}).`),
  }).catch((error: unknown) => {
    // Only the file that names them can be the reason.
    throw error instanceof Error ? new FileError(error.message) : error
  })
  closers.add('connections', 'IP lists', reputation.close)
  return reputation
}

/** What refused; whatever is no refusal is thrown on. */
function scopeOf(error: unknown): string {
  if (!(error instanceof AppError) || error.errorName === 'UnavailableError') throw error
  return String(error.details.scope ?? error.errorName)
}
