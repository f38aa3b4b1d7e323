import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { AppError } from '@countersign/contract'
import type { Settled } from './coalesce/waiting-calls.ts'
import { coalesce } from './coalesce.ts'

const wide = { maxRunning: 4, maxBatch: 200, maxWaiting: 1_000 }
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

  it('wait a little for others while batches are large, and who comes alone does not', async (context) => {
    context.mock.timers.enable({ apis: ['setTimeout'] })
    const { run, batches } = counter()
    const submit = coalesce(run, { ...wide, gathering: { ms: 5, fromSize: 2 } })
    await submit('one', 1)
    await Promise.all([submit('one', 1), submit('one', 1)])
    const first = submit('one', 1)
    await tick()
    await tick()
    const second = submit('one', 1)
    await tick()
    assert.equal(batches.length, 2)
    context.mock.timers.tick(5)
    await Promise.all([first, second])
    assert.deepEqual(
      batches.map((batch) => batch.length),
      [1, 2, 2],
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

  it('are never in one batch with those of another group', async () => {
    const submit = coalesce<string, string>(async (items) => {
      assert.equal(new Set(items).size, 1)
      return items.map((value) => ({ value }))
    }, wide)
    const groups = Array.from({ length: 200 }, (_, index) => `group-${index % 20}`)
    assert.deepEqual(await Promise.all(groups.map((group) => submit(group, group))), groups)
  })

  it('run in as many batches at once as there are places, and no more', async () => {
    let running = 0
    let most = 0
    const submit = coalesce<string, string>(
      async (items) => {
        most = Math.max(most, ++running)
        await tick()
        running--
        return items.map((value) => ({ value }))
      },
      { ...wide, maxRunning: 3 },
    )
    const groups = Array.from({ length: 40 }, (_, index) => `group-${index}`)
    await Promise.all(groups.map((group) => submit(group, group)))
    assert.equal(most, 3)
  })

  it('are not held up by other groups that wait for something, while a place is left', async () => {
    let release: () => void = () => {}
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    const submit = coalesce<string, string>(async (items) => {
      if (items.includes('slow')) await held
      return items.map((value) => ({ value }))
    }, wide)
    const slow = ['a', 'b', 'c'].map((group) => submit(group, 'slow'))
    const quick = ['d', 'e', 'f', 'g', 'h'].map((group) => submit(group, 'quick'))
    assert.equal((await Promise.all(quick)).length, 5)
    release()
    await Promise.all(slow)
  })

  it('of several groups share a batch where that is allowed, each with its own order and within the bound', async () => {
    const batches: string[][] = []
    const submit = coalesce<string, string>(
      async (items) => {
        batches.push([...items])
        await tick()
        return items.map((value) => ({ value }))
      },
      { ...wide, maxRunning: 1, maxBatch: 8, maxGroups: 20 },
    )
    const items = ['a1', 'b1', 'a2', 'c1', 'c2', 'd1', 'd2', 'd3', 'd4']
    const answers = await Promise.all(items.map((item) => submit(item.charAt(0), item)))
    assert.deepEqual(answers, items)
    assert.deepEqual(batches, [
      ['a1', 'a2', 'b1', 'c1', 'c2'],
      ['d1', 'd2', 'd3', 'd4'],
    ])
  })

  it('of one group are refused where it has as many waiting as there is room, and others still find some', async () => {
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
    const waiting = Array.from({ length: 5 }, (_, index) => submit('one', index))
    await assert.rejects(submit('one', 99), (error) => {
      assert.ok(error instanceof AppError)
      assert.equal(error.errorName, 'UnavailableError')
      assert.equal(error.details.retry_after, 1)
      return true
    })
    waiting.push(...['two', 'two', 'three'].map((group, index) => submit(group, 5 + index)))
    release()
    assert.deepEqual(await Promise.all(waiting), [0, 1, 2, 3, 4, 5, 6, 7])
    assert.equal(await submit('one', 11), 11)
  })

  it('may be answered with nothing', async () => {
    const submit = coalesce<number, undefined>(async (items) => items.map(() => ({ value: undefined })), wide)
    assert.equal(await submit('one', 1), undefined)
  })
})
