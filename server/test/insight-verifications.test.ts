/** Lists of verifications: what they contain, and in which order. */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import {
  createTenant,
  freshPhone,
  message,
  resend,
  send,
  started,
  until,
  verify,
  wrongCode,
} from './harness/fixtures.ts'
import { seedVerifications } from './harness/seed.ts'
import { startService } from './harness/service.ts'
import { idsOf, listsOf } from './insight-verifications-support.ts'

const { database, node, close } = await startService()
after(close)
const { get, list, walk } = listsOf(node)

describe('a list of verifications', () => {
  it('has the newest first, in pages that neither repeat nor leave out', async () => {
    const { appId, serverKey } = await createTenant(node)
    const sent: string[] = []
    for (let index = 0; index < 7; index++)
      sent.push((await send(node, serverKey, { recipient: freshPhone() })).body.otp_id)
    const { ids, pages } = await walk(appId, { limit: '3' })
    assert.deepEqual(ids, sent.toSorted().reverse())
    assert.deepEqual(
      pages.map((page) => page.verifications.length),
      [3, 3, 1],
    )
    assert.equal(pages.at(-1)?.searched_to, null)
    assert.ok(pages[0]?.searched_to)
  })

  it('shows what a verification came to, and nothing of who it was for', async () => {
    const { appId, serverKey } = await createTenant(node)
    const { otpId, code, recipient } = await started(node, serverKey)
    await verify(node, serverKey, otpId, wrongCode(code))
    await resend(node, serverKey, otpId)
    await message(node, recipient, 1)
    await verify(node, serverKey, otpId, code)
    const [seen] = (await list(appId)).verifications
    const { created_at, verified_at, delivery_status, ...rest } = seen as Record<string, unknown>
    assert.deepEqual(rest, {
      otp_id: otpId,
      status: 'approved',
      channel: 'whatsapp',
      masked_recipient: `+44****${recipient.slice(-2)}`,
      recipient_type: 'phone',
      country: 'GB',
      sends: 2,
      attempts: 1,
    })
    assert.ok(Date.parse(String(created_at)) < Date.parse(String(verified_at)))
    assert.match(String(delivery_status), /^(queued|sent)$/)
    assert.ok(!JSON.stringify(seen).includes(recipient.slice(4)))
  })

  it('has the status of the newest message, and null where none was sent', async () => {
    const { appId, serverKey } = await createTenant(node, {
      routing: { default: ['sms', 'whatsapp'] },
      channels: { whatsapp: { mode: 'link_code' } },
    })
    const failing = freshPhone()
    node.capture.answerWith((outgoing) =>
      outgoing.recipient === failing
        ? { kind: 'refused', error: { code: 'no', message: 'No.' } }
        : { kind: 'accepted', messageId: 'm' },
    )
    try {
      await send(node, serverKey, { recipient: failing })
      await until(
        'the failure',
        async () => (await list(appId)).verifications[0]?.delivery_status === 'failed',
      )
    } finally {
      node.capture.answerWith(null)
    }
    await node.manage('PATCH', `/apps/${appId}`, { routing: { default: ['whatsapp'] } })
    await send(node, serverKey, { recipient: freshPhone() })
    assert.deepEqual(
      (await list(appId)).verifications.map((seen) => seen.delivery_status),
      [null, 'failed'],
    )
  })

  it('finds a recipient typed in full, by GET and by POST, in each of its spellings, and nobody else', async () => {
    const { appId, serverKey } = await createTenant(node)
    const phone = freshPhone()
    const first = (await send(node, serverKey, { recipient: phone })).body.otp_id
    await send(node, serverKey, { recipient: freshPhone() })
    const second = (await send(node, serverKey, { recipient: phone })).body.otp_id
    const mail = (await send(node, serverKey, { recipient: 'Ada.Lovelace+shop@gmail.com' })).body.otp_id
    assert.deepEqual(idsOf(await list(appId, { recipient: phone })), [second, first])
    const search = (body: unknown) => node.manage('POST', `/apps/${appId}/verifications/search`, body)
    assert.deepEqual(idsOf((await search({ recipient: phone })).body), [second, first])
    assert.deepEqual(idsOf((await search({ recipient: 'adalovelace@googlemail.com' })).body), [mail])
    assert.deepEqual(idsOf((await search({ recipient: freshPhone() })).body), [])
    const page = (await search({ recipient: phone, limit: 1 })).body
    assert.deepEqual(idsOf(page), [second])
    const rest = await search({ recipient: phone, limit: 1, cursor: page.next_cursor })
    assert.deepEqual(idsOf(rest.body), [first])
    const stranger = await createTenant(node)
    assert.deepEqual(idsOf(await list(stranger.appId, { recipient: phone })), [])
  })

  it('refuses what is no whole recipient as a send does', async () => {
    const { appId } = await createTenant(node)
    for (const recipient of ['+44', 'nobody', '', '+4474001234567890']) {
      for (const answer of [
        await get(appId, { recipient }),
        await node.manage('POST', `/apps/${appId}/verifications/search`, { recipient }),
      ]) {
        assert.equal(answer.status, 422)
        assert.equal(answer.body.error.type, 'InvalidRecipientError')
        if (recipient) assert.ok(!JSON.stringify(answer.body).includes(recipient))
      }
    }
  })

  it('filters by status, and what is expired is so from the instant that it is', async () => {
    const tenant = await createTenant(node)
    const { appId } = tenant
    const now = Date.now()
    const [expired, approved, failed, pending] = await seedVerifications(database, tenant, [
      { atMs: now - 700_000 },
      { atMs: now - 600_500, approvedAfterMs: 5_000 },
      { atMs: now - 500_000, status: 'failed' },
      { atMs: now - 10_000 },
    ])
    const by = async (wanted: string) => {
      const page = await list(appId, { status: wanted })
      for (const { status } of page.verifications) assert.equal(status, wanted)
      return idsOf(page)
    }
    assert.deepEqual(await by('expired'), [expired])
    assert.deepEqual(await by('approved'), [approved])
    assert.deepEqual(await by('failed'), [failed])
    assert.deepEqual(await by('pending'), [pending])
  })

  it('filters by channel, country, id and time, alone and together', async () => {
    const tenant = await createTenant(node)
    const { appId } = tenant
    const now = Date.now()
    const ids = await seedVerifications(database, tenant, [
      { atMs: now - 40_000, channel: 'sms', country: 'GB' },
      { atMs: now - 30_000, channel: 'whatsapp', country: 'GB' },
      { atMs: now - 20_000, channel: 'whatsapp', country: 'BR' },
      { atMs: now - 10_000, channel: 'email', country: null },
    ])
    const found = async (query: Record<string, string>) =>
      idsOf(await list(appId, query)).map((id) => ids.indexOf(id))
    const at = (ms: number) => new Date(now - ms).toISOString()
    assert.deepEqual(await found({ channel: 'whatsapp' }), [2, 1])
    assert.deepEqual(await found({ country: 'GB' }), [1, 0])
    assert.deepEqual(await found({ channel: 'whatsapp', country: 'GB' }), [1])
    assert.deepEqual(await found({ from: at(30_000) }), [3, 2, 1])
    assert.deepEqual(await found({ to: at(30_000) }), [0])
    assert.deepEqual(await found({ from: at(30_000), to: at(10_000) }), [2, 1])
    assert.deepEqual(await found({ otp_id: ids[2] ?? '' }), [2])
    assert.deepEqual(await found({ otp_id: ids[2] ?? '', channel: 'sms' }), [])
    assert.deepEqual(await found({ otp_id: 'otp_x' }), [])
    assert.deepEqual(
      await found({ from: '0001-01-01T00:00:00Z', to: '9999-12-31T00:00:00Z', limit: '1' }),
      [3],
    )
  })

  it('names the field that it refuses', async () => {
    const { appId } = await createTenant(node)
    const cases: Record<string, string> = {
      cursor: 'otp_nonsense',
      status: 'done',
      channel: 'fax',
      country: 'gb',
      from: 'yesterday',
      to: '2026-01-01',
      limit: '201',
      colour: 'red',
    }
    for (const [field, value] of Object.entries(cases)) {
      const answer = await get(appId, { [field]: value })
      assert.equal(answer.status, 422, field)
      assert.deepEqual(
        answer.body.error.details.fields.map(({ path }: { path: string }) => path),
        [field],
      )
    }
  })

  it('is the app’s own', async () => {
    const tenant = await createTenant(node)
    const { otpId } = await started(node, tenant.serverKey)
    const other = await createTenant(node)
    assert.deepEqual(idsOf(await list(other.appId, { otp_id: otpId })), [])
    assert.equal((await get('app_70000000000000000000000000')).status, 404)
  })
})
