/** The guard alone, in memory: thousands of sends a second, without the limits and caps around it. */
import { type AppSettings, changedSettings } from '@countersign/contract'
import {
  isSafe,
  Pumping,
  parseClientIp,
  parseRecipient,
  placeOf,
} from '../../server/src/domain/guard/index.ts'
import { msOf } from './engine.ts'
import type { Outcome, Service } from './service.ts'
import { FileError } from './trace.ts'

const appId = 'app'
const nothing = { debts: [], fits: [], acquaintances: [], approvals: [] }
const sent: Outcome = { outcome: 'sent', scope: null, otpId: null }

export function startFastService(given: Record<string, unknown>): Service {
  const settings = settingsFrom(given)
  const { mode, declared_countries, declared_conversion, safe_prefixes } = settings.pumping
  const hasLink =
    settings.routing.default.includes('whatsapp') && settings.channels.whatsapp.mode !== 'template'
  const held: Outcome = { outcome: hasLink ? 'rerouted' : 'stopped', scope: 'pumping', otpId: null }
  const pumping = new Pumping(nothing)
  const decide = (t: number, text: string, address: string | null): Outcome => {
    const recipient = parseRecipient(text, settings.number_check)
    if (!recipient) return { outcome: 'stopped', scope: 'InvalidRecipientError', otpId: null }
    const { country, canonical } = recipient
    if (country === null || mode === 'off' || isSafe(canonical, safe_prefixes)) return sent
    const place = placeOf(
      { appId, number: canonical, region: country, ipKey: ipKeyOf(address) },
      (prefix) => prefix,
    )
    const assessment = pumping.assess(appId, canonical, place, {
      isFlagged: false,
      declaredCountries: declared_countries,
      declaredConversion: declared_conversion,
      nowMs: msOf(t),
      learns: mode === 'auto',
    })
    const isHeld = assessment.kind === 'repeated' || assessment.verdict.stop !== null
    if (isHeld && mode !== 'monitor') return held
    pumping.record(appId, canonical, assessment, msOf(t))
    return { ...sent, otpId: canonical }
  }
  return {
    send: async (t, text, address) => decide(t, text, address),
    approve: async (t, otpId) => pumping.approve({ appId, recipient: otpId, atMs: msOf(t) }),
    close: async () => {},
  }
}

function settingsFrom(given: Record<string, unknown>): AppSettings {
  const pumping = { mode: 'enforce', ...(given.pumping ?? {}) }
  const { settings, problems } = changedSettings({}, { ...given, pumping })
  const [problem] = problems
  if (!settings) throw new FileError(`The settings: ${problem?.path ?? ''} ${problem?.message ?? ''}.`)
  return settings
}

function ipKeyOf(address: string | null): string | null {
  const parsed = address === null ? null : parseClientIp(address)
  return parsed?.kind === 'usable' ? parsed.ip.limitKey : null
}
