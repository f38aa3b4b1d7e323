/** The real service, without HTTP and carriers, on a database whose clock follows the trace. */
import { randomBytes } from 'node:crypto'
import { openCompany } from '../../server/src/domain/billing/index.ts'
import { leftForOthers } from '../../server/src/domain/delivery/index.ts'
import { createApp, createKey, inForce, type Principal } from '../../server/src/domain/tenancy/index.ts'
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
import {
  actingSettings,
  freePrices,
  malformedAddress,
  providers,
  readClientIp,
  readLists,
  type Service,
  type ServiceOptions,
  scopeOf,
} from './surroundings.ts'
import { type BenchClosers, openVirtualDatabase, stages } from './virtual-database.ts'

/** A multiple of all slot lengths: starting at one makes slots begin at the same times as in memory. */
const slotMs = 600_000

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
    ...actingSettings(settings),
  })
  const { keyId } = await createKey({ database, clock }, app, { kind: 'server', name: null })
  const principal: Principal = { keyId, kind: 'server', app: inForce(app, 'priority') }
  const shared = {
    database,
    keyring: () => keys,
    clock,
    prices: async () => freePrices,
    reputation,
    providers,
    handOver: leftForOthers,
    routeKnowledge: { of: async () => null },
    routeBook: { saved: () => {} },
    random: Math.random,
    noteRefusal: () => {},
    prove: async () => null,
    onApproved: () => {},
    metrics: { countSend: () => {}, observeBatch: () => {} },
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
      const { isMalformed, clientIp } = readClientIp(address)
      if (isMalformed) return malformedAddress
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
      // An approval that comes too late is refused, as it may be.
      await verify({ ...shared, judge }, principal, { otpId, code }).catch(scopeOf)
    },
  }
}
