import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ChannelMemories } from './channel-memories.ts'
import { judgeAccounts } from './judge.ts'
import { believed, fade, forget, type Memories, noMemories, remember } from './memory.ts'

/** Remembers one send after the other, each ripe. */
function after(memories: Memories, sends: number, conversion: number): Memories {
  let now = memories
  let owed = 0
  for (let count = 0; count < sends; count++) {
    owed += conversion
    const approved = owed >= 1 ? 1 : 0
    owed -= approved
    now = forget(remember(now, { ripe: 1, approved }))
  }
  return now
}
const shareOf = (memories: Memories) => believed(memories).approved / believed(memories).ripe

describe('what is remembered of an account', () => {
  test('what is steady is known by many sends', () => {
    const memories = after(noMemories, 1_000, 0.8)
    assert.ok(believed(memories).ripe > 300)
    assert.ok(Math.abs(shareOf(memories) - 0.8) < 0.02)
  })
  test('a fall is believed within sixteen sends, and what was before is forgotten', () => {
    const memories = after(after(noMemories, 1_000, 0.8), 16, 0.05)
    assert.ok(shareOf(memories) < 0.45, `${shareOf(memories)}`)
    assert.ok(shareOf(after(memories, 60, 0.05)) < 0.2)
  })
  test('also where not much was known: what falls does not take what it is held against down with it', () => {
    const memories = after(after(noMemories, 80, 0.8), 18, 0.05)
    assert.ok(shareOf(memories) < 0.45, `${shareOf(memories)}`)
  })
  test('a lucky hour of one that carries much is not taken for a change, and costs nothing that is known', () => {
    let memories = after(noMemories, 1_000, 0.55)
    const known = believed(memories).ripe
    // Codes are typed before their sends are ripe, so a few moments see nothing but approvals.
    for (let count = 0; count < 6; count++) memories = forget(remember(memories, { ripe: 0.5, approved: 1 }))
    assert.ok(believed(memories).ripe >= known, `${believed(memories).ripe} of ${known}`)
  })
  test('that it fell is remembered for some minutes', () => {
    const memories = after(after(noMemories, 1_000, 0.8), 20, 0.05)
    assert.ok(memories.fell > 3)
    assert.ok(Math.abs(fade(memories, 900).fell / memories.fell - 0.5) < 1e-9)
    assert.equal(after(noMemories, 1_000, 0.8).fell, 0)
  })
  test('where it fell in other places, few lost sends are enough; where it did not, or brings as much, nothing changes', () => {
    const [steady, fallen] = [after(noMemories, 400, 0.8), after(after(noMemories, 400, 0.8), 20, 0.05)]
    const rowOf = (country: string, memories: Memories) => ({ country, providerId: 'a', memories })
    const shareIn = (memories: Memories, others: readonly Memories[]) => {
      const rows = others.map((each, index) => rowOf(`C${index}`, each))
      const { here } = new ChannelMemories([rowOf('GB', memories), ...rows]).candidate('a', 'GB', 50)
      return here.approved / here.ripe
    }
    const lost = after(steady, 4, 0)
    assert.ok(shareIn(lost, [fallen, fallen]) < 0.7, 'it is suspect')
    assert.ok(shareIn(lost, [fallen, steady]) > 0.75, 'one place is not enough')
    const more = after(steady, 6, 0)
    assert.ok(shareIn(more, [fallen, steady]) < 0.7, 'unless some more are lost')
    assert.ok(shareIn(more, [steady, steady]) > 0.75)
    assert.ok(shareIn(lost, [steady, steady]) > 0.75)
    assert.ok(shareIn(steady, [fallen, fallen]) > 0.75)
  })
  test('a rise is believed within thirty sends, and what is hardly used is new again after some hours', () => {
    assert.ok(shareOf(after(after(noMemories, 400, 0.1), 30, 0.9)) > 0.5)
    const { here } = new ChannelMemories([
      { country: 'GB', providerId: 'a', memories: fade(after(noMemories, 30, 0.1), 14_400) },
    ]).candidate('a', 'GB', 50)
    const other = {
      providerId: 'b',
      priceMicros: 50,
      here: { ripe: 400, approved: 320 },
      elsewhere: { ripe: 0, approved: 0, expected: 0 },
    }
    const [, tried] = judgeAccounts([other, { ...other, providerId: 'a', priceMicros: 20, here }], {
      floor: 0.9,
      trying: 0.1,
    })
    assert.equal(tried?.state, 'unknown')
  })
  test('three hours halve what is hardly used, a day what is used all the time, two weeks leave a dozen, and no share changes', () => {
    const [rare, used] = [after(noMemories, 20, 0.8), after(noMemories, 400, 0.8)]
    const left = (memories: Memories, hours: number) =>
      believed(fade(memories, hours * 3_600)).ripe / believed(memories).ripe
    assert.ok(left(rare, 3) < 0.65, `${left(rare, 3)}`)
    assert.ok(
      left(used, 3) > 0.85 && Math.abs(left(used, 24) - 0.5) < 0.1,
      `${left(used, 3)} ${left(used, 24)}`,
    )
    const rest = fade(used, 14 * 86_400)
    assert.ok(Math.abs(believed(rest).ripe - 12) < 1e-9)
    assert.ok(Math.abs(shareOf(rest) - shareOf(used)) < 1e-9)
  })
})
