/** Batches that break, wait for a lock or are refused: which calls fail, and which go on. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { AppError } from '@countersign/contract'
import { coalesce } from './coalesce.ts'

const wide = { maxRunning: 4, maxBatch: 200, maxWaiting: 1_000 }
const tick = () => new Promise<void>((resolve) => setImmediate(resolve))

describe('calls that are carried out together', () => {
  it('of groups whose rows are locked come again until they are free, and keep no place from the others', async () => {
    const heldUpMs = 60_000
    const locked = new Error('locked')
    const isFree = new Set<string>()
    const tries = new Map<string, number>()
    const submit = coalesce<string, string>(
      async (items) => {
        const group = items[0] ?? ''
        tries.set(group, (tries.get(group) ?? 0) + 1)
        await tick()
        if (group.startsWith('locked') && !isFree.has(group)) throw locked
        return items.map((value) => ({ value }))
      },
      { ...wide, isHeldUp: (error) => error === locked, heldUpMs },
    )
    const names = Array.from({ length: 12 }, (_, index) => `locked-${index}`)
    const waiting = names.map((name) => submit(name, name))
    const startedAtMs = performance.now()
    for (let round = 0; round < 5; round++) await submit('free', 'free')
    assert.ok(performance.now() - startedAtMs < heldUpMs / 2)
    while (names.some((name) => (tries.get(name) ?? 0) < 2)) await tick()
    for (const name of names) isFree.add(name)
    assert.deepEqual(await Promise.all(waiting), names)
  })

  it('are told so when their rows stay locked, each after as long as it can wait', async () => {
    const locked = new Error('locked')
    const submit = coalesce<string, string>(
      async () => {
        await tick()
        throw locked
      },
      { ...wide, isHeldUp: (error) => error === locked, heldUpMs: 50 },
    )
    const startedAtMs = performance.now()
    await assert.rejects(submit('one', 'a'), locked)
    assert.ok(performance.now() - startedAtMs >= 50)
  })

  it('of a group whose rows are locked leave their batch, come again alone, and the others have their answers', async () => {
    const locked = new Error('locked')
    const batches: { items: readonly string[]; isPatient: boolean }[] = []
    const submit = coalesce<string, string>(
      async (items, isPatient) => {
        batches.push({ items, isPatient })
        await tick()
        return items.map((value) => (value === 'locked' && !isPatient ? { error: locked } : { value }))
      },
      { ...wide, maxGroups: 20, isHeldUp: (error) => error === locked, heldUpMs: 60_000 },
    )
    const names = ['one', 'locked', 'two']
    assert.deepEqual(await Promise.all(names.map((name) => submit(name, name))), names)
    assert.deepEqual(batches, [
      { items: names, isPatient: false },
      { items: ['locked'], isPatient: true },
    ])
    await Promise.all(names.map((name) => submit(name, name)))
    assert.ok(batches.slice(2).every(({ items }) => items.length === 1 || !items.includes('locked')))
  })

  it('that come while their group waits for its rows are decided with those that wait', async () => {
    const locked = new Error('locked')
    const batches: string[][] = []
    let free = () => {}
    const submit = coalesce<string, string>(
      async (items, isPatient, takeMore) => {
        assert.deepEqual(isPatient ? [] : takeMore(), [], 'a batch that waits for nobody takes nobody along')
        if (!isPatient) return items.map(() => ({ error: locked }))
        await new Promise<void>((resolve) => {
          free = resolve
        })
        const all = [...items, ...takeMore()]
        batches.push(all)
        return all.map((value) => ({ value: `${value}!` }))
      },
      { ...wide, maxBatch: 3, maxGroups: 20, isHeldUp: (error) => error === locked, heldUpMs: 60_000 },
    )
    const first = submit('one', 'a')
    for (let ticks = 0; ticks < 5; ticks++) await tick()
    const later = ['b', 'c', 'd'].map((name) => submit('one', name))
    free()
    assert.deepEqual(await Promise.all([first, ...later.slice(0, 2)]), ['a!', 'b!', 'c!'])
    await tick()
    free()
    assert.equal(await later[2], 'd!')
    assert.deepEqual(batches, [['a', 'b', 'c'], ['d']])
  })

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
