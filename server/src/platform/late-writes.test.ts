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

  it('is let go when the process stops', async () => {
    const writes = new LateWrites({ ...options, log: () => {} })
    const waiting = writes.write(() => Promise.reject(away))
    void setImmediate().then(() => writes.stop())
    assert.equal(await waiting, false)
    assert.equal(await writes.write(() => Promise.reject(away)), false)
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
