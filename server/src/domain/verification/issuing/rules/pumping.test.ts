import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
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
})
