/**
 * Made from the table of operations: a management call that is repeated because its answer was lost acts once. A new
 * operation that takes an idempotency key is in it by itself, and one that takes none has to say why.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Operation, operations } from '@countersign/contract'
import { isChange } from '../src/http/audit.ts'
import {
  changed,
  freshKey,
  grown,
  type Ids,
  madeRows,
  onceTable,
  startOnce,
  withKey,
} from './once-support.ts'

/** Changes by POST that take no key, and why a repeat does no harm. */
const withoutKey: Readonly<Record<string, string>> = {
  pauseApp: 'a paused app stays paused',
  resumeApp: 'an app that sends goes on',
  eraseRecipient: 'who is erased is erased',
  eraseVerification: 'who is erased is erased',
  restoreBlock: 'it is restored already',
  demoteOperator: 'whoever is no operator is not found',
  enableEndpoint: 'an enabled endpoint stays enabled',
  enableWebhook: 'an enabled endpoint stays enabled',
  cancelVerification: 'it ended with the first',
  exceptRecipient: 'one exception for a recipient',
  replayFailed: 'what was sent again is no longer given up',
  resendVerification: 'it may send another message: cooldown, sends of a verification and price bound it',
  checkProvider: 'nothing is sent',
  testProvider: 'a message leaves within the call, and there may be ten',
  testAlerts: 'messages leave within the call, and there may be ten',
  testOperatorAlerts: 'messages leave within the call, and there may be ten',
  addPasskey: 'what a browser signs is taken once',
}
/** At most two at once of one person, and the operator’s token is not bounded. */
const atOnce = 10

describe('a management call that is repeated with its idempotency key', () => {
  let service: Awaited<ReturnType<typeof startOnce>>
  before(async () => {
    service = await startOnce()
  })
  after(() => service.close())

  it('is every change by POST that a repeat would make twice', () => {
    const all = Object.entries<Operation>(operations).filter(
      ([, operation]) =>
        operation.method === 'POST' &&
        operation.path.startsWith('/manage/') &&
        operation.access !== 'public' &&
        isChange(operation),
    )
    const byPost = onceTable.filter(({ operation }) => operation.method === 'POST')
    const named = [...byPost.map(({ name }) => name), ...Object.keys(withoutKey)]
    assert.deepEqual(all.map(([name]) => name).sort(), named.sort())
  })

  for (const { name, operation } of onceTable) {
    describe(name, () => {
      let ids: Ids
      before(async () => {
        ids = await service.idsOf()
      })

      it('changes nothing more, on any node, and gets the first answer', async () => {
        const { database, nodes, callOf } = service
        const call = callOf(name, operation, ids)
        const key = freshKey()
        const earlier = await madeRows(database)
        const first = await withKey(nodes[0], call, key)
        assert.equal(first.status, operation.status ?? 200, JSON.stringify(first.body))
        const rows = await madeRows(database)
        assert.notDeepEqual(changed(earlier, rows), [], 'the call itself changes nothing')
        for (const node of nodes) {
          const again = await withKey(node, call, key)
          assert.deepEqual([again.status, again.body], [first.status, first.body])
        }
        assert.deepEqual(changed(rows, await madeRows(database)), [])
      })

      it('acts once of many at once, and all get the same answer', async () => {
        const { database, nodes, callOf } = service
        const none = await madeRows(database)
        await withKey(nodes[0], callOf(name, operation, ids), freshKey())
        const one = await madeRows(database)
        const call = callOf(name, operation, ids)
        const key = freshKey()
        const answers = await Promise.all(
          Array.from({ length: atOnce }, (_, index) => withKey(nodes[index % 2 === 0 ? 0 : 1], call, key)),
        )
        for (const { status, body } of answers)
          assert.deepEqual([status, body], [operation.status ?? 200, answers[0]?.body])
        assert.deepEqual(grown(one, await madeRows(database)), grown(none, one))
      })

      if (operation.body || operation.query)
        it('is refused with something else in it, and changes nothing', async () => {
          const { database, nodes, callOf } = service
          const call = callOf(name, operation, ids)
          assert.ok(call.other)
          assert.notDeepEqual([call.other.path, call.other.body], [call.path, call.body])
          const key = freshKey()
          await withKey(nodes[0], call, key)
          const rows = await madeRows(database)
          const answer = await withKey(nodes[1], { ...call, ...call.other }, key)
          assert.equal(answer.status, 422, JSON.stringify(answer.body))
          assert.equal(answer.body.error.type, 'InvalidIdempotencyKeyError')
          assert.match(answer.body.error.message, /used before/)
          assert.deepEqual(changed(rows, await madeRows(database)), [])
        })

      if (operation.path.includes('{') || operation.company)
        it('is a call of its own for another company', async () => {
          const { database, nodes, idsOf, callOf } = service
          const theirs = await idsOf()
          const key = freshKey()
          await withKey(nodes[0], callOf(name, operation, ids), key)
          const rows = await madeRows(database)
          const answer = await withKey(nodes[0], callOf(name, operation, theirs), key)
          assert.equal(answer.status, operation.status ?? 200, JSON.stringify(answer.body))
          assert.notDeepEqual(changed(rows, await madeRows(database)), [])
        })
    })
  }
})
