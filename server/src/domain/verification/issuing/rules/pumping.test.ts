import assert from 'node:assert/strict'
import { describe, it, mock } from 'node:test'
import { appSettings } from '@countersign/contract'
import { Play, spread } from '../../../../../test/harness/play.ts'
import type { AppId, CompanyId } from '../../../../platform/ids.ts'
import { placeOf } from '../../../guard/index.ts'
import { type Provider, providersAmong } from '../../../routing/index.ts'
import { BatchState, BatchWrites } from '../batch.ts'
import { keep } from '../carry-out.ts'
import { noOwnDemands, type RuleContext, type RuleOutcome, type Subject } from '../rule.ts'
import { judgePumping } from './pumping.ts'

const [appId, companyId] = ['app' as AppId, 'company' as CompanyId]
const app = {
  appId,
  companyId,
  name: 'Shop',
  settings: appSettings.parse({ pumping: { mode: 'enforce' } }),
  rules: [],
  createdAt: new Date(0),
  pausedAt: null,
}
const subjectOf = (number: string): Subject => ({
  app,
  keyKind: 'server',
  recipientType: 'phone',
  country: 'AZ',
  isFixedLine: false,
  isDisposable: false,
  number,
  spellings: [number],
  emailDomain: null,
  recipientHash: Buffer.from(number),
  clientIp: null,
  ipKey: null,
  among: null,
  resend: null,
})
const carrier: Provider = {
  providerId: 'prv_1',
  kind: 'smpp',
  channel: 'sms',
  companyId: null,
  countries: null,
  priority: 100,
  whatsappNumber: null,
  account: { send: async () => ({ kind: 'accepted', messageId: null }), close: async () => {} },
}
const context = {
  providers: providersAmong([carrier]),
  prices: { currency: 'EUR', default: { sms: '0.05' }, countries: {} },
} as unknown as RuleContext
const found = {
  isAllowed: false,
  isFlagged: false,
  demands: noOwnDemands,
  route: {
    order: { configured: ['sms'], usable: ['sms'], reachable: ['sms'], leftOut: [] },
    step: { kind: 'message', channel: 'sms', isFresh: true },
  },
  account: null,
} as const

/** A range of numbers that is closed, and one more number in it. */
function closedPlace() {
  const play = new Play({ isSettled: true })
  const numbers = spread('+99450311', 60, 4)
  for (const number of numbers) play.send(number)
  const [number = ''] = spread('+99450311', 61, 4).slice(-1)
  const place = placeOf({ appId, number, region: 'AZ', ipKey: null }, (prefix) => prefix)
  play.pumping.addPlaces([{ number, ipKey: null, place }])
  const batch = new BatchState({
    nowMs: play.nowMs,
    funds: { isMetered: false, balanceMicros: 0n },
    verifications: new Map(),
    replays: new Map(),
    unreachable: new Map(),
    exceptions: new Map(),
    limits: new Map(),
    known: new Set(),
    pumping: play.pumping,
    spend: null,
  })
  const subject = subjectOf(number)
  return {
    pumping: play.pumping,
    batch,
    subject,
    ask: () => judgePumping(subject, { batch, found }, context),
  }
}

describe('the rule against pumping', () => {
  it('counts nothing by being asked, and has what it wants to count carried out with a refusal', () => {
    const { pumping, batch, subject, ask } = closedPlace()
    const changed = () => [pumping.changedDebts().length, pumping.takeNotes().length]
    changed()
    const outcome: RuleOutcome | null = ask()
    assert.equal(outcome?.refusal?.errorName, 'RateLimitExceededError')
    assert.deepEqual(changed(), [0, 0])
    keep([outcome?.keeps ?? {}], subject, batch, new BatchWrites())
    assert.ok(changed().every((count) => count > 0))
  })

  it('lets somebody through a closed place whom an exception or a rule of one’s own excuses, and says which', () => {
    const { batch, subject } = closedPlace()
    const excuseWith = (changed: object) => {
      const outcome = judgePumping(subject, { batch, found: { ...found, ...changed } }, context)
      assert.equal(outcome?.refusal, undefined)
      const [decided] = [outcome?.decided ?? []].flat()
      assert.ok(decided?.rule === 'pumping' && decided.facts.because === 'stopped')
      return [decided.outcome, decided.facts.excuse]
    }
    assert.deepEqual(excuseWith({ isAllowed: true }), ['pass', 'exception'])
    assert.deepEqual(excuseWith({ demands: { ...noOwnDemands, isExcused: true } }), ['pass', 'own_rule'])
  })

  /** What the guard is told of a send from a flagged address, by an app with these settings. */
  function toldWith(pumping: Record<string, unknown>, carriedBy: Provider = carrier) {
    const { batch, subject, pumping: guard } = closedPlace()
    const told = mock.method(guard, 'assess')
    const settings = appSettings.parse({ max_sends: 7, pumping })
    const providers = providersAmong([carriedBy])
    const asked = { ...subject, app: { ...app, settings } }
    judgePumping(asked, { batch, found: { ...found, isFlagged: true } }, { ...context, providers })
    const { nowMs: _, ...circumstances } = told.mock.calls[0]?.arguments[3] ?? { nowMs: 0 }
    return circumstances
  }
  const declared = { declared_countries: ['MX'], declared_conversion: 0.35 }
  const always = {
    isFlagged: true,
    declaredCountries: ['MX'],
    declaredConversion: 0.35,
    mostSends: 7,
    isSimulated: false,
  }

  it('tells the guard how the address stands and what the app has set', () => {
    const auto = { mode: 'auto', ...declared }
    assert.deepEqual(toldWith(auto), { ...always, learns: true })
    assert.deepEqual(toldWith({ ...auto, mode: 'enforce' }), { ...always, learns: false })
    const simulated = toldWith(auto, { ...carrier, isSimulated: true })
    assert.deepEqual(simulated, { ...always, learns: false, isSimulated: true })
  })

  it('spends on scouts what the app’s budget pays for: one at least, and at most one a minute', () => {
    for (const [learning_budget, scoutsAnHour] of [
      ['0.50', 10],
      ['0.01', 1],
      ['100', 60],
    ] as const)
      assert.deepEqual(toldWith({ mode: 'enforce', ...declared, learning_budget }), {
        ...always,
        learns: false,
        scoutsAnHour,
      })
  })
})
