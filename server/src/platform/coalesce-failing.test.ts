/** Batches that break or are refused: which calls fail, and which go on. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { AppError } from '@countersign/contract'
import { coalesce } from './coalesce.ts'

const wide = { maxRunning: 4, maxBatch: 200, maxWaiting: 1_000 }
const tick = () => new Promise<void>((resolve) => setImmediate(resolve))

describe('calls that are carried out together', () => {
  it('and have long waited for a batch that the database did not answer are told with it; who came late goes on', async (context) => {
    let nowMs = 0
    context.mock.method(performance, 'now', () => nowMs)
    const away = new AppError('UnavailableError', 'away', { retry_after: 1 })
    const batches: (readonly string[])[] = []
    let fail = () => {}
    const submit = coalesce<string, string>(async (items) => {
      batches.push(items)
      if (batches.length === 1)
        await new Promise((_, reject) => {
          fail = () => reject(away)
        })
      return items.map((value) => ({ value }))
    }, wide)
    const first = assert.rejects(submit('one', 'first'), away)
    await tick()
    await tick()
    const behind = assert.rejects(submit('one', 'behind'), away)
    nowMs = 9_000
    const late = submit('one', 'late')
    nowMs = 10_000
    fail()
    await Promise.all([first, behind])
    assert.equal(await late, 'late')
    assert.deepEqual(batches, [['first'], ['late']])
  })

  it('and have long waited for a place that others have are told too, where the database is at fault', async (context) => {
    let nowMs = 0
    context.mock.method(performance, 'now', () => nowMs)
    const away = Object.assign(new AppError('UnavailableError', 'away', { retry_after: 1 }), {
      cause: new Error('Query read timeout'),
    })
    const batches: (readonly string[])[] = []
    let fail = () => {}
    const submit = coalesce<string, string>(
      async (items) => {
        batches.push(items)
        if (batches.length === 1)
          await new Promise((_, reject) => {
            fail = () => reject(away)
          })
        return items.map((value) => ({ value }))
      },
      { ...wide, maxRunning: 1 },
    )
    const first = assert.rejects(submit('one', 'first'), away)
    await tick()
    await tick()
    const behind = assert.rejects(submit('two', 'behind'), away)
    nowMs = 9_000
    const late = submit('three', 'late')
    nowMs = 10_000
    fail()
    await Promise.all([first, behind])
    assert.equal(await late, 'late')
    assert.equal(await submit('two', 'again'), 'again')
    assert.deepEqual(batches, [['first'], ['late'], ['again']])
  })

  it('and wait for a place are not told of a batch that hung where the database is not at fault', async (context) => {
    let nowMs = 0
    context.mock.method(performance, 'now', () => nowMs)
    const busy = new AppError('UnavailableError', 'busy', { retry_after: 1 })
    let fail = () => {}
    const submit = coalesce<string, string>(
      async ([item = '']) => {
        if (item === 'first')
          await new Promise((_, reject) => {
            fail = () => reject(busy)
          })
        return [{ value: item }]
      },
      { ...wide, maxRunning: 1 },
    )
    const first = assert.rejects(submit('one', 'first'), busy)
    await tick()
    await tick()
    const other = submit('two', 'other')
    nowMs = 10_000
    fail()
    await first
    assert.equal(await other, 'other')
  })

  it('and wait for a place are not told of a batch that failed at once, though long after they came', async (context) => {
    let nowMs = 0
    context.mock.method(performance, 'now', () => nowMs)
    const refused = Object.assign(new AppError('UnavailableError', 'away', { retry_after: 1 }), {
      cause: Object.assign(new Error('sorry, too many clients already'), { code: '53300' }),
    })
    let end = () => {}
    const submit = coalesce<string, string>(
      async ([item = '']) => {
        if (item === 'refused') throw refused
        if (item === 'slow')
          await new Promise<void>((resolve) => {
            end = resolve
          })
        return [{ value: item }]
      },
      { ...wide, maxRunning: 1 },
    )
    const slow = submit('one', 'slow')
    await tick()
    await tick()
    const first = assert.rejects(submit('two', 'refused'), refused)
    const others = Promise.all([submit('three', 'c'), submit('four', 'd')])
    nowMs = 3_000
    end()
    await Promise.all([slow, first])
    assert.deepEqual(await others, ['c', 'd'])
  })

  it('of a group that breaks a shared batch fail alone, and it shares none for a while', async () => {
    const batches: (readonly string[])[] = []
    const submit = coalesce<string, string>(
      async (items) => {
        batches.push(items)
        await tick()
        if (items.includes('poison')) throw new Error('broken statement')
        return items.map((value) => ({ value }))
      },
      { ...wide, maxGroups: 20 },
    )
    const names = ['one', 'poison', 'two']
    const settle = () => Promise.allSettled(names.map((name) => submit(name, name)))
    const first = await settle()
    assert.deepEqual(
      first.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    )
    assert.deepEqual(batches, [names, ['one'], ['poison'], ['two']])
    batches.length = 0
    await settle()
    assert.deepEqual(batches.toSorted(), [['one', 'two'], ['poison']])
  })

  it('are refused one by one where the batch says so', async () => {
    const submit = coalesce<number, number>(
      async (items) =>
        items.map((item) => (item % 2 ? { error: new Error(`odd ${item}`) } : { value: item })),
      wide,
    )
    const settled = await Promise.allSettled([0, 1, 2, 3].map((item) => submit('one', item)))
    assert.deepEqual(
      settled.map((outcome) => (outcome.status === 'fulfilled' ? outcome.value : outcome.reason.message)),
      [0, 'odd 1', 2, 'odd 3'],
    )
  })

  it('do not fall with the one that breaks the batch', async () => {
    let runs = 0
    const submit = coalesce<string, string>(async (items) => {
      runs++
      if (items.includes('poison')) throw new Error('broken statement')
      return items.map((value) => ({ value }))
    }, wide)
    const items = ['a', 'b', 'poison', 'c', 'd']
    const settled = await Promise.allSettled(items.map((item) => submit('one', item)))
    assert.deepEqual(
      settled.map((outcome) => (outcome.status === 'fulfilled' ? outcome.value : outcome.reason.message)),
      ['a', 'b', 'broken statement', 'c', 'd'],
    )
    assert.equal(runs, 1 + items.length)
    assert.equal(await submit('one', 'later'), 'later')
  })

  it('are not tried again one by one when the database is away', async () => {
    let runs = 0
    const submit = coalesce<string, string>(async () => {
      runs++
      throw new AppError('UnavailableError', 'away')
    }, wide)
    const settled = await Promise.allSettled(['a', 'b', 'c'].map((item) => submit('one', item)))
    for (const outcome of settled)
      assert.ok(outcome.status === 'rejected' && outcome.reason.message === 'away')
    assert.equal(runs, 1)
  })

  it('fail clearly when a batch answers too little', async () => {
    const submit = coalesce<number, number>(async () => [{ value: 1 }], wide)
    const [first, second] = [submit('one', 1), submit('one', 2)]
    await assert.rejects(second, /lost an outcome/)
    assert.equal(await first, 1)
  })
})
