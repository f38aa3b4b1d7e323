/** The erasure of a person at the operator's request. */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import pg from 'pg'
import {
  createApp,
  createTenant,
  freshEmail,
  freshPhone,
  message,
  send,
  started,
  status,
  until,
  verify,
} from './harness/fixtures.ts'
import { assertInvalid, startManaging } from './management-support.ts'

const { database, node, openCompany, balanceOf, close } = await startManaging()
after(close)

/** Returns a function that resolves when somebody waits for a row that this connection has locked. */
async function watchWaiting(client: pg.Client): Promise<() => Promise<unknown>> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
  const look = 'select 1 from pg_stat_activity where $1 = any(pg_blocking_pids(pid))'
  return () => until('somebody to wait', async () => (await database.query(look, [rows[0]?.pid])).length > 0)
}

/** Records from now on how many verifications of a company each statement changes. */
async function watchRows(companyId: string) {
  await database.query(`
    create table changed_rows (count integer);
    create function note_changed_rows() returns trigger language plpgsql as $$
      begin
        insert into changed_rows select count(*) from changed where company_id = '${companyId}' having count(*) > 0;
        return null;
      end $$;
    create trigger note_changed_rows after update on verifications
      referencing new table as changed for each statement execute function note_changed_rows()`)
  return {
    rows: async () =>
      (await database.query('select count from changed_rows order by count')).map(({ count }) => count),
    close: () => database.query('drop trigger note_changed_rows on verifications; drop table changed_rows'),
  }
}

describe('management', () => {
  describe('an erasure', () => {
    const erase = (companyId: string, recipient: unknown) =>
      node.manage('POST', `/companies/${companyId}/erasures`, { recipient })
    const exchange = (key: string, token: string) =>
      node.call('POST', '/api/v1/verifications/exchange', { key, body: { verification_token: token } })
    const approve = async (key: string, recipient: string) => {
      const earlier = node.capture.to(recipient).length
      const sent = await send(node, key, { recipient })
      const { code } = await message(node, recipient, earlier)
      const otpId: string = sent.body.otp_id
      const { body } = await verify(node, key, otpId, code)
      assert.equal(body.status, 'approved')
      return { otpId, token: body.verification_token as string }
    }

    it('of a person with thousands of verifications takes all of them, a thousand in a statement', async () => {
      const tenant = await createTenant(node)
      const recipient = freshPhone()
      const { otpId } = await started(node, tenant.serverKey, recipient)
      await message(node, recipient)
      await database.query(
        `insert into verifications
         select (jsonb_populate_record(v, jsonb_build_object('otp_id', left(v.otp_id, 24) || lpad(n::text, 6, '0')))).*
           from verifications v, generate_series(1, 2499) n where v.otp_id = $1`,
        [otpId],
      )
      const { rows: most, close: closeWatch } = await watchRows(tenant.companyId)
      const answer = await erase(tenant.companyId, recipient)
      const changed = await most()
      await closeWatch()
      assert.deepEqual(answer.body, { verifications: 2500 })
      assert.deepEqual(changed, [500, 1000, 1000])
      const [left] = await database.query(
        'select count(*)::integer as count from verifications where company_id = $1 and recipient is not null',
        [tenant.companyId],
      )
      assert.equal(left?.count, 0)
    })

    it('takes the recipient out of every row, in all apps of the company', async () => {
      const tenant = await createTenant(node)
      const second = await createApp(node, tenant.companyId)
      const recipient = freshPhone()
      await started(node, tenant.serverKey, recipient, { client_ip: '8.8.8.8' })
      await started(node, second.serverKey, recipient)
      await send(node, tenant.serverKey, { recipient }, { 'idempotency-key': recipient })
      const answer = await erase(tenant.companyId, recipient)
      assert.equal(answer.status, 200)
      assert.deepEqual(answer.body, { verifications: 3 })
      const rows = await database.query<Record<string, unknown>>(
        'select recipient, recipient_hash, masked_recipient, client_ip, ip_key from verifications where company_id = $1',
        [tenant.companyId],
      )
      assert.equal(rows.length, 3)
      for (const row of rows) {
        assert.deepEqual(row, {
          recipient: null,
          recipient_hash: null,
          masked_recipient: '****',
          client_ip: null,
          ip_key: null,
        })
      }
      const replays = await database.query('select 1 from idempotency_keys where company_id = $1', [
        tenant.companyId,
      ])
      assert.equal(replays.length, 0)
      assert.deepEqual((await erase(tenant.companyId, recipient)).body, { verifications: 0 })
    })

    it('makes a token that proved the recipient worthless, before and after its exchange', async () => {
      const tenant = await createTenant(node)
      const recipient = freshPhone()
      const fresh = await approve(tenant.publishableKey, recipient)
      const used = await approve(tenant.publishableKey, recipient)
      assert.equal((await exchange(tenant.serverKey, used.token)).body.recipient, recipient)
      await erase(tenant.companyId, recipient)
      for (const { token } of [fresh, used]) {
        const answer = await exchange(tenant.serverKey, token)
        assert.equal(answer.status, 404)
        assert.ok(!JSON.stringify(answer.body).includes(recipient))
      }
    })

    it('stops what is on its way, and returns its price', async () => {
      const tenant = await createTenant(node, {}, { balance: '1' })
      const recipient = freshPhone()
      node.capture.answerWith((outgoing) =>
        outgoing.recipient === recipient
          ? { kind: 'retry', error: { code: 'busy', message: 'Busy.' }, afterSeconds: 60 }
          : { kind: 'accepted', messageId: 'm' },
      )
      const { body } = await send(node, tenant.serverKey, { recipient })
      const deliveryOf = async () => (await status(node, tenant.serverKey, body.otp_id)).body.deliveries[0]
      await until('a first attempt', async () => (await deliveryOf()).error?.code === 'busy')
      await erase(tenant.companyId, recipient)
      // Its next attempt would be accepted, and only starts now.
      node.capture.answerWith(null)
      await database.query('update deliveries set next_attempt_at = now() where otp_id = $1', [body.otp_id])
      const failed = await until('the delivery to be stopped', async () => {
        const delivery = await deliveryOf()
        return delivery.status === 'failed' && delivery
      })
      assert.ok(!JSON.stringify(failed).includes(recipient))
      assert.deepEqual(node.capture.to(recipient), [])
      assert.equal(await balanceOf(tenant.companyId), '1.000000')
    })

    it('ends a pending verification: its code is no longer taken, and it cannot be sent again', async () => {
      const tenant = await createTenant(node)
      const { otpId, code, recipient } = await started(node, tenant.serverKey)
      await erase(tenant.companyId, recipient)
      assert.equal(
        (await verify(node, tenant.serverKey, otpId, code)).body.error.details.otp_status,
        'expired',
      )
      const again = await node.call('POST', '/api/v1/otp/resend', {
        key: tenant.serverKey,
        body: { otp_id: otpId },
      })
      assert.equal(again.status, 409)
      const seen = await status(node, tenant.serverKey, otpId)
      assert.equal(seen.body.masked_recipient, '****')
      assert.equal(seen.body.status, 'expired')
    })

    it('of a person who was approved leaves a verification that takes wrong codes as any other does', async () => {
      const { companyId, serverKey } = await createTenant(node)
      const recipient = freshPhone()
      const { otpId } = await approve(serverKey, recipient)
      await erase(companyId, recipient)
      const answer = await verify(node, serverKey, otpId, '000000')
      assert.equal(answer.status, 409, JSON.stringify(answer.body))
      assert.equal(answer.body.error.details.otp_status, 'approved')
    })

    it('forgets that a channel could not reach the person', async () => {
      const tenant = await createTenant(node, { routing: { default: ['whatsapp', 'sms'] } })
      const recipient = freshPhone()
      node.capture.answerWith((outgoing, channel) =>
        outgoing.recipient === recipient && channel === 'whatsapp'
          ? { kind: 'unreachable', error: { code: 'none', message: 'Not there.' } }
          : { kind: 'accepted', messageId: 'm' },
      )
      const first = await send(node, tenant.serverKey, { recipient })
      await until(
        'the failure',
        async () =>
          (await status(node, tenant.serverKey, first.body.otp_id)).body.deliveries[0].status === 'failed',
      )
      assert.equal((await send(node, tenant.serverKey, { recipient })).body.channel, 'sms')
      await erase(tenant.companyId, recipient)
      assert.equal((await send(node, tenant.serverKey, { recipient })).body.channel, 'whatsapp')
      node.capture.answerWith(null)
    })

    it('takes what a batch under way has still to write', async () => {
      const tenant = await createTenant(node)
      const { otpId, recipient } = await started(node, tenant.serverKey)
      // A batch holds the company's row from its read to its write.
      const batch = new pg.Client({ connectionString: database.url })
      await batch.connect()
      await batch.query('begin')
      await batch.query('select 1 from companies where company_id = $1 for no key update', [tenant.companyId])
      const { rows } = await batch.query(
        'select app_id, recipient_hash from verifications where otp_id = $1',
        [otpId],
      )
      const isWaitedFor = await watchWaiting(batch)
      const erasing = erase(tenant.companyId, recipient)
      await Promise.race([erasing, isWaitedFor()])
      await batch.query(
        `insert into pumping_acquaintances (company_id, app_id, recipient_hash, acquaintance, expires_at)
         values ($1, $2, $3, '', now() + interval '1 day')`,
        [tenant.companyId, rows[0].app_id, rows[0].recipient_hash],
      )
      await batch.query('commit')
      await batch.end()
      assert.deepEqual((await erasing).body, { verifications: 1 })
      const left = await database.query('select 1 from pumping_acquaintances where company_id = $1', [
        tenant.companyId,
      ])
      assert.deepEqual(left, [])
    })

    it('leaves other people and other companies alone', async () => {
      const [tenant, other] = [await createTenant(node), await createTenant(node)]
      const [erased, kept] = [freshPhone(), freshPhone()]
      await approve(tenant.publishableKey, erased)
      const neighbour = await approve(tenant.publishableKey, kept)
      const elsewhere = await approve(other.publishableKey, erased)
      assert.deepEqual((await erase(tenant.companyId, erased)).body, { verifications: 1 })
      assert.equal((await exchange(tenant.serverKey, neighbour.token)).body.recipient, kept)
      assert.equal((await exchange(other.serverKey, elsewhere.token)).body.recipient, erased)
    })

    it('knows an email in any spelling of its box', async () => {
      const tenant = await createTenant(node)
      const recipient = freshEmail()
      await started(node, tenant.serverKey, recipient)
      assert.deepEqual((await erase(tenant.companyId, recipient.toUpperCase())).body, { verifications: 1 })
    })

    it('refuses what is no recipient', async () => {
      const companyId = await openCompany()
      for (const recipient of ['', 'nobody', '+1', '\0']) {
        const answer = await erase(companyId, recipient)
        assert.equal(answer.status, 422)
        assert.equal(answer.body.error.type, 'InvalidRecipientError')
      }
      for (const recipient of [undefined, null, 5])
        assertInvalid(await erase(companyId, recipient), 'recipient')
    })
  })
})
