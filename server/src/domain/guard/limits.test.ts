import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { appSettings, type LimitWindow } from '@countersign/contract'
import { randomOf } from '../../../test/harness/random.ts'
import { chargeLimit, type LimitCheck, type LimitKind, type LimitState, testLimit } from './limits.ts'
import { limitsOf } from './send-limits.ts'

const start = 1_800_000_000_000
const check = (kind: LimitKind, windows: readonly LimitWindow[], keepSeconds = 86_400): LimitCheck => ({
  scope: kind === 'counted' ? 'recipient' : 'app',
  kind,
  key: Buffer.from('key'),
  windows,
  isCharged: true,
  keepSeconds,
})

/** Makes calls at these times, one after the other, and returns which of them pass. */
function play(
  limit: LimitCheck,
  times: readonly number[],
  before: LimitState = [],
): { passed: number[]; state: LimitState } {
  let state = before
  const passed: number[] = []
  for (const time of times) {
    if (!testLimit(limit, state, time).isAllowed) continue
    state = chargeLimit(limit, state, time)
    passed.push(time)
  }
  return { passed, state }
}

describe('a counted limit', () => {
  it('lets exactly its maximum through at one instant', () => {
    for (const max of [1, 2, 5, 7, 60, 999, 1_000]) {
      const times = Array.from({ length: max + 50 }, () => start)
      assert.equal(play(check('counted', [{ max, window_s: 600 }]), times).passed.length, max)
    }
  })

  it('lets at most its maximum through in any window, and never refuses a call that would have fitted', () => {
    for (let seed = 1; seed <= 40; seed++) {
      const random = randomOf(seed)
      const windows = [
        { max: 1 + Math.floor(random() * 6), window_s: 1 + Math.floor(random() * 20) },
        {
          max: 1 + Math.floor(random() * 12),
          window_s: 20 + Math.floor(random() * 60),
        },
      ]
      const limit = check('counted', windows)
      let time = start
      let state: LimitState = []
      const passed: number[] = []
      for (let call = 0; call < 300; call++) {
        time += Math.floor(random() * 3_000)
        const isFitting = windows.every(
          ({ max, window_s }) => passed.filter((earlier) => earlier > time - window_s * 1_000).length < max,
        )
        assert.equal(testLimit(limit, state, time).isAllowed, isFitting, `seed ${seed}, call ${call}`)
        if (!isFitting) continue
        state = chargeLimit(limit, state, time)
        passed.push(time)
      }
    }
  })

  it('names a wait after which the call passes, and one second less of which is too short', () => {
    for (let seed = 1; seed <= 40; seed++) {
      const random = randomOf(seed)
      const limit = check('counted', [
        { max: 2, window_s: 10 },
        { max: 5, window_s: 60 },
      ])
      const times = Array.from({ length: 12 }, () => start + Math.floor(random() * 40_000)).sort()
      const { state } = play(limit, times)
      const now = times.at(-1) ?? start
      const verdict = testLimit(limit, state, now)
      if (verdict.isAllowed) continue
      const seconds = verdict.retryAfterSeconds
      assert.ok(Number.isInteger(seconds) && seconds >= 1)
      assert.equal(testLimit(limit, state, now + seconds * 1_000).isAllowed, true)
      if (seconds > 1) assert.equal(testLimit(limit, state, now + (seconds - 1) * 1_000 - 1).isAllowed, false)
    }
  })

  it('frees a place at the very millisecond at which its call leaves the window', () => {
    const limit = check('counted', [{ max: 1, window_s: 10 }])
    const { state } = play(limit, [start])
    assert.deepEqual(testLimit(limit, state, start + 9_999), {
      isAllowed: false,
      retryAfterSeconds: 1,
      window: { max: 1, window_s: 10 },
      used: 1,
    })
    assert.equal(testLimit(limit, state, start + 10_000).isAllowed, true)
    const next = testLimit(limit, chargeLimit(limit, state, start + 10_000), start + 10_000)
    assert.equal(!next.isAllowed && next.used, 1, 'what has left is not counted as used')
  })

  it('can be held to different maxima on one shared row', () => {
    const strict = check('counted', [{ max: 2, window_s: 600 }])
    const lenient = check('counted', [{ max: 4, window_s: 600 }])
    const { state } = play(lenient, [start, start + 1, start + 2])
    assert.equal(testLimit(strict, state, start + 3).isAllowed, false)
    assert.equal(testLimit(lenient, state, start + 3).isAllowed, true)
  })

  it('forgets what is older than it must remember, and never holds more than a thousand', () => {
    const limit = check('counted', [{ max: 1_000, window_s: 10 }], 10)
    const { state } = play(limit, [start, start + 1, start + 10_001])
    assert.deepEqual(state, [start + 10_001])
    // All of these pass, and the row is kept for longer than their window.
    const shared = check('counted', [{ max: 1_000, window_s: 10 }], 86_400)
    const times = Array.from({ length: 3_000 }, (_, index) => start + 20 * index)
    const many = play(shared, times)
    assert.equal(many.passed.length, 3_000)
    assert.deepEqual(many.state, times.slice(-1_000))
  })

  it('passes everything while nothing is counted', () => {
    assert.deepEqual(testLimit(check('counted', [{ max: 1, window_s: 1 }]), [], start), { isAllowed: true })
  })
})

describe('a rate', () => {
  const rate = (max: number, window_s: number) => check('rate', [{ max, window_s }], window_s)
  const passedAtOnce = (max: number, window_s: number) => {
    const calls = Array.from({ length: max + 50 }, () => start)
    return play(rate(max, window_s), calls).passed.length
  }

  it('lets exactly its maximum through at one instant', () => {
    for (const [max, window_s] of [
      [1, 1],
      [5, 600],
      [60, 60],
      [1_000, 1],
      [6_000, 60],
    ] as const)
      assert.equal(passedAtOnce(max, window_s), max)
  })

  it('lets exactly its maximum through at one instant where it does not divide the window', () => {
    for (const [max, window_s] of [
      [7, 60],
      [3, 1],
      [11, 600],
      [999, 60],
      [7_000, 60],
    ] as const)
      assert.equal(passedAtOnce(max, window_s), max)
  })

  it('lets exactly its maximum through at one instant where its interval is a few microseconds', () => {
    for (const [max, window_s] of [
      [35_000, 60],
      [70_000, 1],
      [600_000, 1],
    ] as const) {
      const limit = rate(max, window_s)
      let state: LimitState = []
      let passed = 0
      while (passed <= max && testLimit(limit, state, start).isAllowed) {
        state = chargeLimit(limit, state, start)
        passed++
      }
      assert.equal(passed, max)
    }
  })

  it('then lets one through per interval', () => {
    const limit = rate(5, 10)
    const { state } = play(
      limit,
      Array.from({ length: 5 }, () => start),
    )
    assert.deepEqual(testLimit(limit, state, start + 1_999), {
      isAllowed: false,
      retryAfterSeconds: 1,
      window: { max: 5, window_s: 10 },
      used: 5,
    })
    assert.equal(testLimit(limit, state, start + 2_000).isAllowed, true)
  })

  it('lets no more than its maximum and what has been refilled through, over any stretch of time', () => {
    for (let seed = 1; seed <= 20; seed++) {
      const random = randomOf(seed)
      const [max, window_s] = [1 + Math.floor(random() * 20), 1 + Math.floor(random() * 30)]
      const times: number[] = []
      let time = start
      for (let call = 0; call < 400; call++) {
        time += Math.floor(random() * 800)
        times.push(time)
      }
      const { passed } = play(rate(max, window_s), times)
      for (const from of passed) {
        for (const until of passed) {
          if (until < from) continue
          const count = passed.filter((at) => at >= from && at <= until).length
          const refilled = ((until - from) / 1_000) * (max / window_s)
          assert.ok(count <= max + refilled + 1e-6, `seed ${seed}: ${count} of ${max} per ${window_s} s`)
        }
      }
    }
  })

  it('names a wait after which the call passes', () => {
    for (const [max, window_s] of [
      [1, 600],
      [7, 60],
      [60, 60],
      [3, 86_400],
    ] as const) {
      const limit = rate(max, window_s)
      const { state } = play(
        limit,
        Array.from({ length: max + 1 }, () => start),
      )
      const verdict = testLimit(limit, state, start)
      assert.ok(!verdict.isAllowed)
      assert.equal(testLimit(limit, state, start + verdict.retryAfterSeconds * 1_000).isAllowed, true)
    }
  })

  it('keeps its count when its maximum changes: a higher one lets the rest through at once', () => {
    const calls = (count: number) => Array.from({ length: count }, () => start)
    const two = play(rate(2, 86_400), calls(3)).state
    const hundred = rate(100, 86_400)
    assert.equal(play(hundred, calls(200), two).passed.length, 98)
    const five = rate(5, 86_400)
    const refused = testLimit(five, play(hundred, calls(50)).state, start)
    assert.deepEqual(refused, {
      isAllowed: false,
      retryAfterSeconds: 86_400 / 5,
      window: { max: 5, window_s: 86_400 },
      used: 5,
    })
  })

  it('reads the count of a version that did not note how long a call took', () => {
    const limit = rate(5, 10)
    const { state } = play(
      limit,
      Array.from({ length: 5 }, () => start),
    )
    assert.deepEqual(testLimit(limit, state.slice(0, 1), start), testLimit(limit, state, start))
  })

  it('is full again after a quiet window', () => {
    const limit = rate(10, 10)
    const burst = (at: number) => Array.from({ length: 20 }, () => at)
    assert.equal(play(limit, [...burst(start), ...burst(start + 10_000)]).passed.length, 20)
  })

  it('is exact at the millions', () => {
    const { state } = play(rate(1_000_000, 86_400), [start, start, start])
    assert.deepEqual(state, [start * 1_000 + 3 * 86_400, 86_400])
    assert.ok(Number.isSafeInteger(state[0]))
  })
})

describe('several windows of one length', () => {
  const counts = { few: [3, 5, 3], many: [1_003, 1_005, 1_003] }
  for (const [scope, maxima] of [
    ['recipient', counts.few],
    ['recipient', counts.many],
    ['ip', counts.few],
    ['ip', counts.many],
    ['app', counts.few],
    ['app_without_ip', counts.few],
  ] as const) {
    it(`let exactly the lowest maximum through (${scope}, ${maxima[0]})`, () => {
      const windows = maxima.map((max) => ({ max, window_s: 600 }))
      const { limits } = appSettings.parse({})
      const ipKey = scope === 'app_without_ip' ? null : '81.2.69.142'
      const subject = { kind: 'send', appId: 'app', recipientHash: Buffer.alloc(32), ipKey } as const
      const checks = limitsOf({ ...limits, [scope]: windows }, { ...subject, isFlagged: false }).filter(
        (each) => each.scope === scope && each.isCharged,
      )
      const states = new Map<string, LimitState>()
      const stateOf = ({ key }: LimitCheck) => states.get(String(key)) ?? []
      let passed = 0
      while (checks.every((each) => testLimit(each, stateOf(each), start).isAllowed)) {
        for (const each of checks) states.set(String(each.key), chargeLimit(each, stateOf(each), start))
        passed++
      }
      assert.equal(passed, maxima[0])
    })
  }
})
