import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Pool } from './pool.ts'

function gated() {
  const open = new Map<string, (error?: Error) => void>()
  const seen: string[] = []
  const pool = new Pool<string>({
    run: (job) =>
      new Promise((resolve, reject) => {
        open.set(job, (error) => (error ? reject(error) : resolve()))
      }),
    ownerOf: (job) => job.slice(0, 1),
    onError: (job, error) => seen.push(`${job}: ${error instanceof Error ? error.message : error}`),
    onEnd: (job) => seen.push(`${job} ended`),
  })
  return { pool, seen, end: (job: string, error?: Error) => open.get(job)?.(error) }
}

describe('a pool', () => {
  it('counts what each owner has under way, and no longer when it has ended', async () => {
    const { pool, end } = gated()
    for (const job of ['a1', 'a2', 'b1']) pool.start(job)
    assert.deepEqual([pool.size, pool.countOf('a'), pool.countOf('b')], [3, 2, 1])
    for (const job of ['a1', 'a2', 'b1']) end(job)
    await pool.drained()
    assert.deepEqual([pool.size, pool.countOf('a'), pool.countOf('b')], [0, 0, 0])
  })

  it('frees the place of one that breaks, and tells', async () => {
    const { pool, end, seen } = gated()
    pool.start('a1')
    end('a1', new Error('broken'))
    await pool.drained()
    assert.deepEqual(seen, ['a1: broken', 'a1 ended'])
    assert.equal(pool.size, 0)
  })

  it('is drained when what was begun meanwhile has ended too', async () => {
    const { pool, end, seen } = gated()
    pool.start('a1')
    const drained = pool.drained().then(() => seen.push('drained'))
    pool.start('a2')
    end('a1')
    for (let ticks = 0; ticks < 3; ticks++) await new Promise((resolve) => setImmediate(resolve))
    assert.deepEqual(seen, ['a1 ended'])
    end('a2')
    await drained
    assert.deepEqual(seen, ['a1 ended', 'a2 ended', 'drained'])
  })
})
