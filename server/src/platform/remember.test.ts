import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, it, mock, type TestContext } from 'node:test'
import type { DatabaseClock } from './clock.ts'
import type { Database } from './database.ts'
import { ChangeWatch } from './remember.ts'

/** A watch that has not heard from the database: it trusts nothing that it remembers. */
function watchInDoubt() {
  const loads: ((value: string) => void)[] = []
  const watch = new ChangeWatch(
    {} as Database,
    {} as DatabaseClock,
    async () => {},
    () => {},
  )
  const find = watch.remember<string>(() => new Promise((resolve) => loads.push(resolve)), 10)
  return { watch, find, loads }
}

let nowMs = 0
beforeEach(() => {
  nowMs = 0
  mock.method(performance, 'now', () => nowMs)
})
afterEach(() => mock.restoreAll())

describe('what is remembered, while it is trusted', () => {
  /** A watch that has just heard from the database, whose answer took `answerMs`. */
  async function startWatch(test: TestContext, answerMs = 0) {
    const query = async () => {
      nowMs += answerMs
      return { rows: [{ revision: '1', now_ms: 0n }] }
    }
    const watch = new ChangeWatch(
      { query } as unknown as Database,
      { calibrate: () => {} } as unknown as DatabaseClock,
      async () => {},
      () => {},
    )
    test.after(() => watch.close())
    await watch.start()
    return watch
  }

  it('is not loaded again, up to 700 ms after the database was asked for changes', async (test) => {
    const watch = await startWatch(test, 500)
    let loads = 0
    const find = watch.remember(async () => ++loads, 10)
    assert.equal(await find('key'), 1)
    nowMs = 699
    assert.equal(await find('key'), 1)
    nowMs = 700
    assert.equal(await find('key'), 2)
  })

  it('is not what was loaded while something changed', async (test) => {
    const watch = await startWatch(test)
    const values = ['old', 'new']
    const find = watch.remember(async () => values.shift(), 10)
    const loading = find('key')
    watch.forget()
    assert.equal(await loading, 'old')
    assert.equal(await find('key'), 'new')
    assert.equal(await find('key'), 'new')
  })

  it('has a bound', async (test) => {
    const watch = await startWatch(test)
    const find = watch.remember(async (key) => key, 2)
    for (const key of ['a', 'b', 'c']) await find(key)
    assert.deepEqual(['a', 'b', 'c'].map(find.recall), [undefined, undefined, 'c'])
  })
})

describe('what is remembered, while it may not be trusted', () => {
  it('is loaded once for all who ask at the same time, and anew for who asks afterwards', async () => {
    const { find, loads } = watchInDoubt()
    const asked = Array.from({ length: 1_000 }, () => find('key'))
    assert.equal(loads.length, 1)
    loads[0]?.('value')
    assert.deepEqual(new Set(await Promise.all(asked)), new Set(['value']))
    void find('key')
    assert.equal(loads.length, 2)
  })

  it('is loaded anew for who asks while a load has been under way for long', () => {
    const { find, loads } = watchInDoubt()
    void find('key')
    nowMs = 299
    void find('key')
    assert.equal(loads.length, 1)
    nowMs = 300
    void find('key')
    assert.equal(loads.length, 2)
  })

  it('is loaded anew after a change, also while an older load is under way', async () => {
    const { watch, find, loads } = watchInDoubt()
    const before = find('key')
    watch.forget()
    const after = find('key')
    loads[0]?.('old')
    loads[1]?.('new')
    assert.deepEqual(await Promise.all([before, after]), ['old', 'new'])
  })

  it('fails for all who shared a load that failed, and is tried again by the next', async () => {
    const { find, loads } = watchInDoubt()
    const asked = [find('other'), find('other')]
    loads[0]?.(Promise.reject(new Error('gone')) as never)
    assert.deepEqual(
      (await Promise.allSettled(asked)).map(({ status }) => status),
      ['rejected', 'rejected'],
    )
    void find('other')
    assert.equal(loads.length, 2)
  })
})
