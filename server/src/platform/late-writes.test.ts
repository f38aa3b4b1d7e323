import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { AppError } from '@countersign/contract'
import { LateWrites } from './late-writes.ts'

const away = new AppError('UnavailableError', 'away')
const options = { what: 'things', keptMs: 60_000, refusedMs: 0 }

describe('what must be written', () => {
  it('is tried until the database takes it, a few at once, and said once', async () => {
    const logged: string[] = []
    const counts: number[] = []
    const writes = new LateWrites({
      ...options,
      log: (_level, message) => void logged.push(message),
      onCount: (count) => counts.push(count),
    })
    let tries = 0
    let running = 0
    let most = 0
    const written = Array.from({ length: 50 }, () => {
      let isFirst = true
      return writes.write(async () => {
        if (isFirst) {
          isFirst = false
          throw away
        }
        most = Math.max(most, ++running)
        await setImmediate()
        running--
        if (tries++ < 8) throw away
      })
    })
    assert.deepEqual(new Set(await Promise.all(written)), new Set([true]))
    assert.deepEqual([most, Math.max(...counts), counts.at(-1)], [4, 50, 0])
    assert.deepEqual(logged, ['things wait to be written'])
  })

  it('is given up where the database refuses it for a reason that stays', async () => {
    const writes = new LateWrites({ ...options, log: () => {} })
    let tries = 0
    const broken = async () => {
      tries++
      throw new Error('broken')
    }
    assert.equal(await writes.write(broken), false)
    assert.equal(tries, 1)
  })

  it('is let go when the process stops, which is said with how much it was', async () => {
    const logged: unknown[] = []
    const writes = new LateWrites({
      ...options,
      log: (...line) => line[1].endsWith('could not be written') && logged.push(line),
    })
    const waiting = Promise.all([1, 2].map(() => writes.write(() => Promise.reject(away))))
    void setImmediate().then(() => writes.stop())
    assert.deepEqual(await waiting, [false, false])
    assert.equal(await writes.write(() => Promise.reject(away)), false)
    writes.stop()
    const lost = (count: number) => ['error', 'things could not be written', { count }]
    assert.deepEqual(logged, [lost(2), lost(1)])
  })

  it('is not called lost while it is under way: only what fails then is, and said once', async () => {
    const logged: unknown[] = []
    const writes = new LateWrites({
      ...options,
      log: (level, _message, fields) => level === 'error' && logged.push(fields),
    })
    let begun = 0
    let letGo = () => {}
    const held = new Promise<void>((resolve) => {
      letGo = resolve
    })
    const given = [false, true, true].map((fails) => {
      let isFirst = true
      return writes.write(async () => {
        if (isFirst) {
          isFirst = false
          throw away
        }
        if (++begun === 3) {
          writes.stop()
          letGo()
        }
        await held
        if (fails) throw away
      })
    })
    assert.deepEqual(await Promise.all(given), [true, false, false])
    await setImmediate()
    assert.deepEqual(logged, [{ count: 2 }])
  })

  it('is let go when the process stops while it is tried', async () => {
    const writes = new LateWrites({ ...options, log: () => {} })
    let tries = 0
    const given = writes.write(async () => {
      // The second try is one of those that come later.
      if (++tries > 1) writes.stop()
      throw away
    })
    assert.equal(await given, false)
    assert.equal(tries, 2)
  })
})
