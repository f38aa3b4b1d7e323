import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { PersonId, SessionId } from '../platform/ids.ts'
import { createPersonTurns, maxAtOnce, maxReadsAtOnce, maxWaiting } from './person-turns.ts'
import type { Actor } from './principal.ts'

const personOf = (id: string): Actor => ({
  kind: 'person',
  person: { personId: id as PersonId, email: 'a@example.com', name: null, isOperator: false },
  sessionId: 'ses_1' as SessionId,
  isFresh: true,
  proofs: ['code'],
  newToken: null,
})
const change = { method: 'PATCH' } as const
const read = { method: 'GET' } as const
const mostOfOne = maxAtOnce + maxWaiting / 2
const mostReadsOfOne = maxReadsAtOnce + maxWaiting / 2

/** As many calls as one person may have running and waiting; none ends before it is told to. */
function crowd(operation: { readonly method: 'PATCH' | 'GET' } = change, most = mostOfOne) {
  const takeTurn = createPersonTurns()
  let begun = 0
  let end = () => {}
  const isOver = new Promise<void>((resolve) => {
    end = resolve
  })
  const run = () => {
    begun++
    return isOver
  }
  const all = Array.from({ length: most }, () => takeTurn(personOf('usr_1'), operation, run))
  return { takeTurn, end, all, begun: () => begun }
}

describe('changes of one person', () => {
  it('are made a few at a time, and all in the end', async () => {
    const { end, all, begun } = crowd()
    assert.equal(begun(), maxAtOnce)
    end()
    await Promise.all(all)
    assert.equal(begun(), mostOfOne)
  })

  it('are refused where too many wait already, and taken again afterwards', async () => {
    const { takeTurn, end, all } = crowd()
    const one = () => takeTurn(personOf('usr_1'), change, async () => 'done')
    await assert.rejects(one(), {
      errorName: 'RateLimitExceededError',
      details: { scope: 'person', retry_after: 1 },
    })
    end()
    await Promise.all(all)
    assert.equal(await one(), 'done')
  })

  it('keep nobody else waiting, nor what they only read, nor the operator’s token', async () => {
    const { takeTurn, end, all } = crowd()
    for (const [actor, method] of [
      [personOf('usr_2'), 'PATCH'],
      [personOf('usr_1'), 'GET'],
      [{ kind: 'token' }, 'PATCH'],
    ] as const)
      assert.equal(await takeTurn(actor, { method }, async () => 'done'), 'done')
    end()
    await Promise.all(all)
  })
})

describe('reads of one person', () => {
  it('are answered a few at a time, and all in the end', async () => {
    const { end, all, begun } = crowd(read, mostReadsOfOne)
    assert.equal(begun(), maxReadsAtOnce)
    end()
    await Promise.all(all)
    assert.equal(begun(), mostReadsOfOne)
  })

  it('are refused where too many wait already, and keep nobody else waiting, nor what they change', async () => {
    const { takeTurn, end, all } = crowd(read, mostReadsOfOne)
    const done = async () => 'done'
    await assert.rejects(takeTurn(personOf('usr_1'), read, done), { errorName: 'UnavailableError' })
    for (const [actor, operation] of [
      [personOf('usr_2'), read],
      [personOf('usr_1'), change],
      [{ kind: 'token' }, read],
    ] as const)
      assert.equal(await takeTurn(actor, operation, done), 'done')
    end()
    await Promise.all(all)
  })
})
