import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type AccountFacts, type AccountStatus, judge } from './health.ts'

const at = (seconds: number) => new Date(1_000_000 + seconds * 1_000)
const none: AccountFacts = {
  link: null,
  linkSince: null,
  errors: 0,
  firstErrorAt: null,
  isBroken: false,
  answeredAt: null,
  upSince: null,
  lastError: null,
}

const cases: readonly [string, Partial<AccountFacts>, AccountStatus, Date | null][] = [
  ['nothing was asked', {}, 'unknown', null],
  ['it has answered', { answeredAt: at(9), upSince: at(1) }, 'up', at(1)],
  ['the first attempt ever has erred', { errors: 1, firstErrorAt: at(5) }, 'failing', at(5)],
  [
    'one error among answers',
    { errors: 1, firstErrorAt: at(5), answeredAt: at(4), upSince: at(1) },
    'up',
    at(1),
  ],
  [
    'one error after a long rest',
    { errors: 1, firstErrorAt: at(99), answeredAt: at(4), upSince: at(1) },
    'failing',
    at(99),
  ],
  [
    'three errors in a row',
    { errors: 3, firstErrorAt: at(5), answeredAt: at(4), upSince: at(1) },
    'failing',
    at(5),
  ],
  [
    'the provider says that it is broken',
    { errors: 1, isBroken: true, firstErrorAt: at(5), answeredAt: at(4) },
    'failing',
    at(5),
  ],
  ['it is being connected to', { link: 'connecting', linkSince: at(2) }, 'connecting', at(2)],
  ['it is connected', { link: 'up', linkSince: at(2) }, 'up', at(2)],
  [
    'the connection is lost',
    { link: 'down', linkSince: at(7), answeredAt: at(6), upSince: at(1) },
    'failing',
    at(7),
  ],
]

for (const [what, facts, status, since] of cases) {
  test(`an account is ${status} when ${what}`, () => {
    const judged = judge({ ...none, ...facts })
    assert.deepEqual([judged.status, judged.since], [status, since])
  })
}
