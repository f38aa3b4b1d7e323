/** The events of several endpoints: how each attempt is shown, and how events are found and sent again. */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { createTenant, until } from '../harness/fixtures.ts'
import { startEndpoints } from './endpoints-support.ts'
import { status } from './receiver.ts'
import { approve, countByStatus, settled } from './support.ts'

const { database, node, receive, pathOf, add, eventsOf, fail, close } = await startEndpoints()
after(close)

/** Retry-After delays the next attempt, so that a test can check the first. */
const failingOnce = status(503, { 'retry-after': '3600' })

describe('events of webhook endpoints', () => {
  it('show of each attempt the body and the headers that the receiver got, and no secret', async () => {
    const tenant = await createTenant(node)
    const [flaky, good] = [await receive(failingOnce), await receive()]
    const made = [await add(tenant, { url: flaky.url }), await add(tenant, { url: good.url })]
    const rotated = await node.manage('POST', `${pathOf(tenant)}/${made[0]?.endpoint_id}/rotate-secret`)
    await approve(node, tenant)
    await until('both', () => flaky.calls.length === 1 && good.calls.length === 1)
    flaky.answerWith(status(204))
    const [{ id }] = await until('the failure', () =>
      eventsOf(tenant, '?answer=5xx').then((found) => found[0] && found),
    )
    await node.manage('POST', `/events/${id}/replay?endpoint_id=${made[0]?.endpoint_id}`)
    await settled(database, tenant.appId)
    const shown = (await node.manage('GET', `/events/${id}`)).body
    assert.equal(shown.body, good.calls[0]?.body)
    assert.equal(shown.attempts.length, 3)
    const calls = [...flaky.calls, ...good.calls]
    for (const attempt of shown.attempts) {
      assert.equal(attempt.body, shown.body)
      const headers = Object.entries<string>(attempt.headers).map(([name, value]) => [
        name.toLowerCase(),
        value,
      ])
      const call = calls.find(
        (one) => one.headers['x-webhook-signature'] === attempt.headers['X-Webhook-Signature'],
      )
      for (const [name = '', value] of headers) assert.equal(call?.headers[name], value, name)
    }
    const text = JSON.stringify(shown)
    for (const secret of [...made.map(({ signing_secret }) => signing_secret), rotated.body.signing_secret])
      assert.ok(!text.includes(secret.slice(6)))
    assert.equal(flaky.calls.length, 2, 'a replay for one goes to that one')
    assert.equal(good.calls.length, 1)
  })

  it('have lists of events by type, state, attempts, answer and endpoint', async () => {
    const tenant = await createTenant(node)
    const [flaky, good] = [await receive(failingOnce), await receive()]
    const failing = await add(tenant, { url: flaky.url, types: ['otp.approved'] })
    const healthy = await add(tenant, { url: good.url })
    await approve(node, tenant)
    await fail(tenant)
    await until('the failure to be written', async () => (await eventsOf(tenant, '?answer=5xx')).length === 1)
    await until('the rest', async () => (await eventsOf(tenant, '?answer=2xx')).length >= 2)
    const found = async (query: string) =>
      (await eventsOf(tenant, query))
        .map((event: { type: string }) => event.type)
        .filter((type: string) => type.startsWith('otp.'))
    const cases: readonly (readonly [string, readonly string[]])[] = [
      ['?type=otp.failed', ['otp.failed']],
      ['?status=waiting', ['otp.approved']],
      ['?status=delivered', ['otp.failed', 'otp.approved']],
      ['?status=held', []],
      ['?answer=5xx', ['otp.approved']],
      ['?answer=4xx', []],
      ['?answer=none', []],
      ['?answer=2xx', ['otp.failed', 'otp.approved']],
      [`?endpoint_id=${failing.endpoint_id}`, ['otp.approved']],
      [`?endpoint_id=${failing.endpoint_id}&answer=2xx`, []],
      [`?endpoint_id=${healthy.endpoint_id}&type=otp.approved&status=delivered`, ['otp.approved']],
      ['?min_attempts=1', ['otp.failed', 'otp.approved']],
      ['?min_attempts=2', []],
    ]
    for (const [query, expected] of cases) assert.deepEqual(await found(query), expected, query)
    for (const wrong of ['?type=otp', '?answer=6xx', '?min_attempts=x', '?state=held'])
      assert.equal((await node.manage('GET', `/apps/${tenant.appId}/events${wrong}`)).status, 422, wrong)
  })

  it('get what happened before them, or at one that is gone, when somebody asks for it', async () => {
    const tenant = await createTenant(node)
    await approve(node, tenant)
    const [skipped] = await eventsOf(tenant, '?type=otp.approved')
    assert.deepEqual([skipped.status, skipped.endpoints], ['skipped', []])
    const own = await receive(status(500))
    const first = await add(tenant, { url: own.url, types: ['otp.failed'] })
    const refused = await node.manage('POST', `/events/${skipped.id}/replay`)
    assert.deepEqual([refused.status, refused.body.error.type], [409, 'ConflictError'])
    await node.manage('POST', `/events/${skipped.id}/replay?endpoint_id=${first.endpoint_id}`)
    await until('it to be given up', async () => (await countByStatus(database, tenant.appId)).failed === 1)
    await node.manage('DELETE', `${pathOf(tenant)}/${first.endpoint_id}`)
    own.answerWith(status(204))
    await add(tenant, { url: own.url })
    const another = await receive()
    await add(tenant, { url: another.url, types: ['otp.failed'] })
    const replay = async (minutesAgo: number) => {
      const since = new Date(Date.now() - minutesAgo * 60_000).toISOString()
      return (await node.manage('POST', `/apps/${tenant.appId}/events/replay-failed`, { since })).body
        .replayed
    }
    assert.equal(await replay(-0.5), 0, 'what was made before, if only by half a minute, is left alone')
    assert.equal(await replay(10), 1)
    await settled(database, tenant.appId)
    assert.deepEqual(
      own.calls.map(({ id }) => id),
      [skipped.id, skipped.id],
    )
    assert.deepEqual(another.calls, [], 'it takes other types')
    assert.equal(await replay(10), 0)
    assert.deepEqual(await eventsOf(tenant, '?type=otp.approved&status=skipped'), [])
    assert.equal((await eventsOf(tenant, '?type=otp.approved'))[0].status, 'delivered')
  })

  it('asked for while they wait are tried at once and keep their schedule; those under way are left alone', async () => {
    const tenant = await createTenant(node)
    const own = await receive(failingOnce)
    await add(tenant, { url: own.url })
    await approve(node, tenant)
    const shown = async () => (await eventsOf(tenant, '?type=otp.approved'))[0]
    const afterAttempt = (count: number) =>
      until(`attempt ${count} to be written`, async () => {
        const event = await shown()
        return event?.attempts.length === count && event
      })
    const { id } = await afterAttempt(1)
    const replay = () => node.manage('POST', `/events/${id}/replay`)
    await replay()
    assert.equal((await afterAttempt(2)).status, 'waiting')

    let end = () => {}
    const begun = new Promise<void>((resolve) => {
      own.answerWith((_received, response) => {
        end = () => response.writeHead(204).end()
        resolve()
      })
    })
    await replay()
    await begun
    await replay()
    assert.equal((await shown()).status, 'sending')
    end()
    await settled(database, tenant.appId)
    assert.equal(own.calls.length, 3)
  })
})
