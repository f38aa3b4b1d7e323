import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { AppError } from '@countersign/contract'
import { coalesce, type Settled } from './coalesce.ts'

const wide = { lanes: 4, maxBatch: 200, maxWaiting: 1_000 }
const tick = () => new Promise<void>((resolve) => setImmediate(resolve))

/** A running sum: the answer to a call depends on every call before it. */
function counter() {
  let total = 0
  const batches: number[][] = []
  return {
    batches,
    run: async (items: readonly number[]): Promise<Settled<number>[]> => {
      batches.push([...items])
      await tick()
      return items.map((item) => {
        total += item
        return { value: total }
      })
    },
  }
}

describe('calls that are carried out together', () => {
  it('get the answers that they would have had one by one', async () => {
    const items = Array.from({ length: 500 }, (_, index) => index)
    const together = counter()
    const submit = coalesce(together.run, wide)
    const answers = await Promise.all(items.map((item) => submit('one', item)))
    const alone = counter()
    const expected = []
    for (const item of items) {
      const [outcome] = await alone.run([item])
      assert.ok(outcome && 'value' in outcome)
      expected.push(outcome.value)
    }
    assert.deepEqual(answers, expected)
    assert.ok(together.batches.length < 10, `${together.batches.length} batches`)
  })

  it('form the next batch while one runs, none larger than the bound', async () => {
    const { run, batches } = counter()
    const submit = coalesce(run, { ...wide, maxBatch: 50 })
    await Promise.all(Array.from({ length: 205 }, () => submit('one', 1)))
    assert.deepEqual(
      batches.map((batch) => batch.length),
      [50, 50, 50, 50, 5],
    )
  })

  it('of one group never run side by side, and those of other groups do', async () => {
    const running = new Set<string>()
    let most = 0
    const submit = coalesce<string, void>(
      async (groups) => {
        for (const group of new Set(groups)) {
          assert.ok(!running.has(group))
          running.add(group)
        }
        most = Math.max(most, running.size)
        await tick()
        await tick()
        for (const group of groups) running.delete(group)
        return groups.map(() => ({ value: undefined }))
      },
      { ...wide, maxBatch: 3 },
    )
    const groups = Array.from({ length: 16 }, (_, index) => `group-${index}`)
    await Promise.all(
      Array.from({ length: 320 }, (_, index) => {
        const group = groups[index % groups.length] ?? ''
        return submit(group, group)
      }),
    )
    assert.ok(most > 1)
  })

  it('are not held up by another lane', async () => {
    let release: () => void = () => {}
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    const submit = coalesce<string, string>(async (items) => {
      if (items.includes('slow')) await held
      return items.map((value) => ({ value }))
    }, wide)
    const slow = submit('a', 'slow')
    const quick = await Promise.race(['b', 'c', 'd', 'e'].map((group) => submit(group, 'quick')))
    assert.equal(quick, 'quick')
    release()
    assert.equal(await slow, 'slow')
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

  it('are refused beyond the bound instead of left waiting, and taken again once there is room', async () => {
    let release: () => void = () => {}
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    const submit = coalesce<number, number>(
      async (items) => {
        await held
        return items.map((value) => ({ value }))
      },
      { ...wide, maxWaiting: 10 },
    )
    const waiting = Array.from({ length: 10 }, (_, index) => submit('one', index))
    for (const group of ['one', 'two']) {
      await assert.rejects(submit(group, 99), (error) => {
        assert.ok(error instanceof AppError)
        assert.equal(error.errorName, 'UnavailableError')
        assert.equal(error.details.retry_after, 1)
        return true
      })
    }
    release()
    assert.deepEqual(await Promise.all(waiting), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
    assert.equal(await submit('one', 11), 11)
  })

  it('fail clearly when a batch answers too little', async () => {
    const submit = coalesce<number, number>(async () => [{ value: 1 }], wide)
    const [first, second] = [submit('one', 1), submit('one', 2)]
    await assert.rejects(second, /lost an outcome/)
    assert.equal(await first, 1)
  })

  it('may be answered with nothing', async () => {
    const submit = coalesce<number, undefined>(async (items) => items.map(() => ({ value: undefined })), wide)
    assert.equal(await submit('one', 1), undefined)
  })
})
