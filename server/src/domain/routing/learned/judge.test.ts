import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type Candidate, type Judged, judgeAccounts, pick } from './judge.ts'

const terms = { floor: 0.9, trying: 0.1 }
const nowhere = { ripe: 0, approved: 0, expected: 0 }
type Known = readonly [priceMicros: number, ripe: number, conversion: number]

const candidate = (
  providerId: string,
  [priceMicros, ripe, conversion]: Known,
  elsewhere: Candidate['elsewhere'] = nowhere,
): Candidate => ({
  providerId,
  priceMicros,
  here: { ripe, approved: ripe * conversion },
  elsewhere,
})

const isLeading = ({ state }: Judged) => state === 'leading'

/** Judges accounts a, b, c … in the order of their priority. */
const judge = (accounts: readonly Known[]): readonly Judged[] =>
  judgeAccounts(
    accounts.map((each, index) => candidate('abc'.charAt(index), each)),
    terms,
  )

const cases: readonly (readonly [
  guarantee: string,
  accounts: readonly Known[],
  states: readonly Judged['state'][],
])[] = [
  ['one account leads, whatever it does', [[50, 100, 0.01]], ['leading']],
  [
    'while nothing is known, priority decides',
    [
      [50, 0, 0],
      [20, 0, 0],
    ],
    ['leading', 'unknown'],
  ],
  [
    'the cheaper of equals leads',
    [
      [50, 400, 0.8],
      [30, 400, 0.8],
    ],
    ['costlier', 'leading'],
  ],
  [
    'a cheap account that brings little does not',
    [
      [50, 400, 0.8],
      [10, 400, 0.4],
    ],
    ['leading', 'under_floor'],
  ],
  [
    'one that brings more, and is not worth it, only holds the floor',
    [
      [50, 400, 0.8],
      [80, 400, 0.85],
    ],
    ['leading', 'holding'],
  ],
  [
    'one that may be under the floor leads beside the best',
    [
      [50, 400, 0.8],
      [30, 100, 0.72],
    ],
    ['holding', 'leading'],
  ],
  [
    'one that is known well leads beside one that may bring more',
    [
      [50, 40, 0.78],
      [30, 400, 0.76],
    ],
    ['holding', 'leading'],
  ],
  [
    'and alone, once the other is known to be no better',
    [
      [50, 400, 0.76],
      [30, 400, 0.76],
    ],
    ['costlier', 'leading'],
  ],
  [
    'a new account does not lead, however cheap',
    [
      [50, 400, 0.8],
      [1, 0, 0],
    ],
    ['leading', 'unknown'],
  ],
  [
    'of accounts that cost nothing, the best leads',
    [
      [0, 400, 0.75],
      [0, 400, 0.8],
    ],
    ['costlier', 'leading'],
  ],
  [
    'what costs nothing leads within the floor',
    [
      [50, 400, 0.8],
      [0, 400, 0.79],
    ],
    ['costlier', 'leading'],
  ],
  [
    'what costs nothing and brings nothing does not',
    [
      [50, 400, 0.8],
      [0, 400, 0.1],
    ],
    ['leading', 'under_floor'],
  ],
  [
    'one that fell is left for one of which little is left',
    [
      [20, 30, 0.05],
      [50, 10, 0.8],
    ],
    ['under_floor', 'leading'],
  ],
  [
    'a cheaper one that surely brings more leads, though little is known of it',
    [
      [50, 400, 0.88],
      [20, 14, 1],
    ],
    ['costlier', 'leading'],
  ],
  [
    'one lucky send makes no account the best',
    [
      [50, 400, 0.8],
      [80, 1, 1],
    ],
    ['leading', 'unknown'],
  ],
  [
    'nobody approves anything: priority',
    [
      [50, 400, 0],
      [50, 400, 0],
    ],
    ['leading', 'costlier'],
  ],
]

describe('which account carries a message', () => {
  for (const [guarantee, accounts, states] of cases)
    test(guarantee, () => {
      assert.deepEqual(
        judge(accounts).map(({ state }) => state),
        states,
      )
    })

  for (const [guarantee, accounts] of cases)
    test(`shares are whole and trying is bounded: ${guarantee}`, () => {
      const judged = judge(accounts)
      const sum = judged.reduce((total, { share }) => total + share, 0)
      const tried = judged
        .filter(({ state }) => state !== 'leading' && state !== 'holding')
        .map(({ share }) => share)
      assert.ok(Math.abs(sum - 1) < 1e-9)
      assert.ok(tried.reduce((total, share) => total + share, 0) <= terms.trying + 1e-9)
      assert.ok(
        tried.every((share) => share > 0),
        'each is tried now and then',
      )
      for (const { conversion, conversionLow, conversionHigh, costMicros, ...each } of judged) {
        assert.ok(conversionLow <= conversion && conversion <= conversionHigh && conversionHigh <= 1)
        assert.ok(each.costLowMicros <= costMicros && costMicros <= each.costHighMicros)
      }
    })

  for (const floor of [0.5, 0.8, 0.9, 0.97])
    test(`what is believed of the mix is above a floor of ${floor}, whatever is known`, () => {
      for (const second of [0, 0.3, 0.6, 0.7, 0.75, 0.8])
        for (const third of [0, 0.5, 0.7, 0.85])
          for (const ripe of [0, 10, 40, 400]) {
            const judged = judgeAccounts(
              [
                candidate('a', [50, 400, 0.8]),
                candidate('b', [30, ripe, second]),
                candidate('c', [10, 400 - ripe, third]),
              ],
              { floor, trying: 0.3 },
            )
            const held = judged.find(({ state }) => state === 'holding') ?? judged.find(isLeading)
            const mix = judged.reduce((sum, { share, conversion }) => sum + share * conversion, 0)
            assert.ok(mix >= floor * (held?.conversion ?? 0) - 1e-9, JSON.stringify(judged))
          }
    })

  test('the same chance picks the same account, and each as often as its share says', () => {
    const judged = judge([
      [50, 400, 0.8],
      [30, 40, 0.78],
      [20, 0, 0],
    ])
    const counts = new Map<string, number>()
    for (let chance = 0; chance < 1; chance += 0.001) {
      const id = pick(judged, chance)?.providerId ?? ''
      counts.set(id, (counts.get(id) ?? 0) + 1)
    }
    for (const { providerId, share } of judged)
      assert.ok(Math.abs((counts.get(providerId) ?? 0) / 1_000 - share) < 0.005)
    assert.equal(pick(judged, 0.42), pick(judged, 0.42))
    assert.equal(pick(judged, 1.001)?.state, 'leading', 'rounding may take a little from the shares')
  })

  test('a small sample borrows from what the account does elsewhere', () => {
    const good = { ripe: 400, approved: 360, expected: 300 }
    const bad = { ripe: 400, approved: 100, expected: 300 }
    const [first, second] = judgeAccounts(
      [candidate('a', [50, 4, 0.75], good), candidate('b', [50, 4, 0.75], bad)],
      terms,
    )
    assert.ok(first && second)
    assert.ok(first.conversion > second.conversion)
    const [alone, beside] = judgeAccounts(
      [candidate('a', [50, 400, 0.75], good), candidate('b', [50, 400, 0.75], bad)],
      terms,
    )
    assert.ok(alone && beside)
    assert.ok(Math.abs(alone.conversion - beside.conversion) < 0.03, 'a large one hardly does')
  })
})
