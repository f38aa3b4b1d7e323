/** What surrounds the service in a replay: accounts that accept everything, free messages, and IP lists. */
import { AppError } from '@countersign/contract'
import type { ProviderAccount } from '../../server/src/channels/channel.ts'
import { type ClientIp, parseClientIp, watchReputation } from '../../server/src/domain/guard/index.ts'
import type { Provider, Providers } from '../../server/src/domain/routing/index.ts'
import { FileError } from './trace.ts'
import type { BenchClosers } from './virtual-database.ts'

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
export const providers: Providers = {
  usable: (_, channel) => accounts.filter((provider) => provider.channel === channel),
  find: (providerId) => accounts.find((provider) => provider.providerId === providerId),
  all: () => [...accounts],
}

const free = { sms: '0', whatsapp: '0', telegram: '0', email: '0', whatsapp_reply: '0' }
export const freePrices = { currency: 'EUR', default: free, countries: {} }

/** A trace is about what the guard stops, so it acts from the first send unless the settings say otherwise. */
export const actingSettings = (settings: Record<string, unknown>) => ({
  ...settings,
  pumping: { mode: 'enforce', ...(settings.pumping ?? {}) },
})

/** So long that lists are read only once: a replay takes minutes. */
const pollListsMs = 3_600_000

export async function readLists(closers: BenchClosers, ipSourcesFile: string | null) {
  const reputation = await watchReputation(ipSourcesFile, {
    cacheFolder: null,
    pollMs: pollListsMs,
    onChange: ({ name, problem }) => console.error(`The list ${name} cannot be relied on (${problem}).`),
  }).catch((error: unknown) => {
    // It can only fail because of the file that names the lists.
    throw error instanceof Error ? new FileError(error.message) : error
  })
  closers.add('connections', 'IP lists', reputation.close)
  return reputation
}

/** Parses it as the API does; a malformed address is refused before anything else is checked. */
export function readClientIp(address: string | null): { isMalformed: boolean; clientIp: ClientIp | null } {
  const parsed = address === null ? null : parseClientIp(address)
  return {
    isMalformed: parsed?.kind === 'malformed',
    clientIp: parsed?.kind === 'usable' ? parsed.ip : null,
  }
}

export const malformedAddress: Outcome = { outcome: 'stopped', scope: 'ValidationError', otpId: null }

/** The scope or name of a refusal. Other errors are thrown on. */
export function scopeOf(error: unknown): string {
  if (!(error instanceof AppError) || error.errorName === 'UnavailableError') throw error
  return String(error.details.scope ?? error.errorName)
}
