/**
 * The service's own rules and limits on state in memory, each call decided as a batch of one: thousands of sends a
 * second. `check.ts` compares its decisions with those of the service on a database.
 */
import { randomBytes } from 'node:crypto'
import { type AppSettings, changedSettings } from '@countersign/contract'
import { type LimitState, Pumping } from '../../server/src/domain/guard/index.ts'
import { type App, inForce, type Principal } from '../../server/src/domain/tenancy/index.ts'
import { send } from '../../server/src/domain/verification/index.ts'
import {
  BatchState,
  BatchWrites,
  type Call,
  type SendCall,
} from '../../server/src/domain/verification/issuing/batch.ts'
import { wantedOf } from '../../server/src/domain/verification/issuing/read-batch.ts'
import type { RuleContext } from '../../server/src/domain/verification/issuing/rule.ts'
import { decideSend } from '../../server/src/domain/verification/issuing/start.ts'
import { openWhole } from '../../server/src/platform/closers.ts'
import type { Database } from '../../server/src/platform/database.ts'
import { newId } from '../../server/src/platform/ids.ts'
import { Keyring } from '../../server/src/platform/keyring.ts'
import { msOf } from './engine.ts'
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
import { FileError } from './trace.ts'
import { type BenchClosers, stages } from './virtual-database.ts'

export const startCoreService = (options: ServiceOptions): Promise<Service> =>
  openWhole(stages, { log: () => {}, onWaiting: () => {} }, (closers) => open(closers, options))

/** A verification that was sent and is not approved yet. */
interface Pending {
  readonly recipient: string
  readonly expiresAtMs: number
}

async function open(
  closers: BenchClosers,
  { settings, ipSourcesFile }: ServiceOptions,
): Promise<Omit<Service, 'close'>> {
  const reputation = await readLists(closers, ipSourcesFile)
  const keyring = new Keyring([{ id: 1, secret: randomBytes(32), activeFromMs: 0 }])
  const app = inForce(appWith(settingsFrom(settings)), 'priority')
  const principal: Principal = { keyId: newId('key', msOf(0)), kind: 'server', app }
  const pending = new Map<string, Pending>()
  let nowMs = msOf(0)
  const core = createCore({
    reputation,
    providers,
    prices: freePrices,
    keyring,
    routes: new Map(),
    random: Math.random,
  })
  const issue = async (call: Call) => {
    if (call.kind !== 'send') throw new Error('a trace has no resends')
    return core.decide(call, nowMs)
  }
  const dependencies = {
    database: noDatabase,
    keyring: () => keyring,
    clock: { nowMs: () => nowMs },
    issue,
    noteRefusal: () => {},
  }
  return {
    async send(t, recipient, address) {
      nowMs = msOf(t)
      const { isMalformed, clientIp } = readClientIp(address)
      if (isMalformed) return malformedAddress
      try {
        const { otp_id: otpId } = await send(dependencies, principal, {
          recipient,
          locale: null,
          clientIp,
          idempotencyKey: null,
        })
        const { isRerouted, recipientHash } = core.last()
        if (isRerouted) return { outcome: 'rerouted', scope: 'pumping', otpId }
        const expiresAtMs = nowMs + app.settings.code_ttl_s * 1_000
        pending.set(otpId, { recipient: recipientHash.toString('base64'), expiresAtMs })
        return { outcome: 'sent', scope: null, otpId }
      } catch (error) {
        return { outcome: 'stopped', scope: scopeOf(error), otpId: null }
      }
    },
    async approve(t, otpId) {
      const sent = pending.get(otpId)
      pending.delete(otpId)
      if (sent && msOf(t) < sent.expiresAtMs)
        core.pumping.approve({ appId: app.appId, recipient: sent.recipient, atMs: msOf(t) })
    },
  }
}

/** In memory, everything that a company's rows would hold. */
function createCore(context: RuleContext) {
  const pumping = new Pumping({ debts: [], fits: [], acquaintances: [], approvals: [] })
  const remembered = {
    funds: { isMetered: false, balanceMicros: 0n },
    verifications: new Map(),
    replays: new Map(),
    unreachable: new Map(),
    exceptions: new Map(),
    limits: new Map<string, LimitState>(),
    known: new Set<string>(),
    spend: null,
    pumping,
  }
  let last: Pick<SendCall, 'recipientHash'> & { isRerouted: boolean } = {
    isRerouted: false,
    recipientHash: Buffer.alloc(0),
  }
  return {
    pumping,
    last: () => last,
    decide(call: SendCall, nowMs: number) {
      const { app, recipient, recipientHash, clientIp } = call
      const addressee = {
        companyId: app.companyId,
        appId: app.appId,
        recipientHash,
        ipKey: clientIp?.limitKey ?? null,
        number: recipient.type === 'phone' ? recipient.canonical : null,
        country: recipient.country,
        call,
      }
      pumping.addPlaces(wantedOf(addressee, context.keyring))
      const writes = new BatchWrites()
      const answer = decideSend(call, new BatchState({ ...remembered, nowMs }), writes, context)
      const isRerouted = writes.decisions.some(({ rules }) =>
        rules.some(({ rule, outcome }) => rule === 'pumping' && outcome === 'reroute'),
      )
      last = { isRerouted, recipientHash }
      return answer
    },
  }
}

const refuseToAnswer = () => {
  throw new Error('there is no database')
}
/** Only a repeated idempotency key leads to a query, and a trace has no such keys. */
const noDatabase = new Proxy({} as Database, { get: () => refuseToAnswer })

const appWith = (settings: AppSettings): App => ({
  companyId: newId('company', msOf(0)),
  appId: newId('app', msOf(0)),
  name: 'Trace',
  settings,
  rules: [],
  createdAt: new Date(msOf(0)),
  pausedAt: null,
})

function settingsFrom(given: Record<string, unknown>): AppSettings {
  const { settings, problems } = changedSettings({}, actingSettings(given))
  const [problem] = problems
  if (!settings) throw new FileError(`The settings: ${problem?.path ?? ''} ${problem?.message ?? ''}.`)
  return settings
}
