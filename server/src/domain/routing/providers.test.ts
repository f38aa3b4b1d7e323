import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { CompanyId } from '../../platform/ids.ts'
import {
  carriersAfter,
  chooseAmong,
  costOf,
  isTrial,
  type Provider,
  providersAmong,
  simulatorAccountId,
} from './providers.ts'

const ours = 'co_ours' as CompanyId
const other = 'co_other' as CompanyId

const account = (providerId: string, more: Partial<Provider>): Provider => ({
  providerId,
  kind: 'smpp',
  channel: 'sms',
  companyId: null,
  countries: null,
  priority: 0,
  whatsappNumber: null,
  account: { send: () => assert.fail(), close: async () => {} },
  ...more,
})

const simulated = account(simulatorAccountId('sms'), { isSimulated: true, priority: -1 })
const operators = account('operators', {})
const [first, second] = [
  account('first', { companyId: ours, priority: 1 }),
  account('second', { companyId: ours, priority: 2 }),
]
const british = account('british', { companyId: ours, countries: ['GB'] })

const cases: readonly (readonly [
  guarantee: string,
  list: readonly Provider[],
  chosen: readonly Provider[],
])[] = [
  [
    'a company’s own come by priority, then the operator’s',
    [operators, second, first],
    [first, second, operators],
  ],
  ['another company’s are not there', [account('theirs', { companyId: other }), operators], [operators]],
  ['those of another channel are not there', [account('mail', { channel: 'email' })], []],
  ['the simulator carries where there is no account', [simulated], [simulated]],
  ['it never takes over from a company’s account', [simulated, first], [first]],
  ['nor from the operator’s', [simulated, operators], [operators]],
  ['an account for other countries is none', [simulated, british], [simulated]],
]

describe('who can carry a message', () => {
  for (const [guarantee, list, chosen] of cases)
    it(guarantee, () => {
      assert.deepEqual(chooseAmong({ list }, ours, 'sms', 'FR'), chosen)
    })

  it('the simulator does not take over from an account that cannot be opened', () => {
    for (const [unopened, chosen] of [
      [first, []],
      [operators, []],
      [british, [simulated]],
    ] as const) {
      assert.deepEqual(chooseAmong({ list: [simulated], unopened: [unopened] }, ours, 'sms', 'FR'), chosen)
    }
  })

  it('what was accepted for the simulator stays with it, and what was not never comes to it', () => {
    const among = (list: Provider[], providerId: string) =>
      carriersAfter(providersAmong(list), providerId, [ours, 'sms', 'FR'])
    assert.deepEqual(among([simulated, first], simulated.providerId), [simulated], 'one has come since')
    assert.deepEqual(among([first], simulated.providerId), [], 'the simulator has gone since')
    assert.deepEqual(among([simulated], first.providerId), [], 'it has gone since')
    assert.deepEqual(among([simulated, second], first.providerId), [second])
  })
})

it('only the simulator carries what a company sends while there is no account of its own or of the operator’s', () => {
  const isOurTrial = (...list: Provider[]) => isTrial(providersAmong([simulated, ...list]), ours)
  assert.equal(isOurTrial(), true)
  assert.equal(isOurTrial(account('theirs', { companyId: other })), true)
  assert.equal(isOurTrial(first), false)
  assert.equal(isOurTrial(operators), false)
})

it('a message costs what is set for its country, otherwise what is set for all of them', () => {
  const priced = account('priced', { costs: { default: '0.05', countries: { GB: '0.03' } } })
  const some = account('some', { costs: { default: null, countries: { GB: '0.03' } } })
  assert.deepEqual(
    ['GB', 'FR', null].map((country) => [costOf(priced, country), costOf(some, country)]),
    [
      ['0.03', '0.03'],
      ['0.05', null],
      ['0.05', null],
    ],
  )
  assert.equal(costOf(operators, 'GB'), null)
})
