/** Batches that find rows locked: they come again by themselves, and keep no place from the others. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { coalesce } from './coalesce.ts'

const wide = { maxRunning: 4, maxBatch: 200, maxWaiting: 1_000 }
const tick = () => new Promise<void>((resolve) => setImmediate(resolve))

describe('calls that wait for locked rows', () => {
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

  it('wait for locked rows in at most a quarter of the batches that run at once', async () => {
    const locked = new Error('locked')
    const frees: (() => void)[] = []
    const submit = coalesce<string, string>(
      async (items, isPatient) => {
        if (items[0] === 'free') return items.map((value) => ({ value }))
        if (!isPatient) throw locked
        await new Promise<void>((resolve) => frees.push(resolve))
        return items.map((value) => ({ value }))
      },
      { ...wide, maxRunning: 8, maxGroups: 2, isHeldUp: (error) => error === locked, heldUpMs: 60_000 },
    )
    const names = Array.from({ length: 12 }, (_, index) => `locked-${index}`)
    const waiting = Promise.all(names.map((name) => submit(name, name)))
    for (let round = 0; round < 5; round++) assert.equal(await submit('free', 'free'), 'free')
    assert.equal(frees.length, 2)
    let isOver = false
    void waiting.then(() => {
      isOver = true
    })
    while (!isOver) {
      frees.shift()?.()
      await tick()
    }
    assert.deepEqual(await waiting, names)
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
})
