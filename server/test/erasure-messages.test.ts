/** An erased person’s messages: providers' ids, which may contain the number, and what became of the messages. */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import pg from 'pg'
import type { SendOutcome } from '../src/channels/channel.ts'
import { forgetMessageIds, messageContext, recipientContext } from '../src/domain/delivery/index.ts'
import { createTenant, freshPhone, message, send, type Tenant, until } from './harness/fixtures.ts'
import { startService } from './harness/service.ts'
import { linkText, write } from './harness/whatsapp.ts'
import { linkSettings } from './inbound-support.ts'

const service = await startService()
after(service.close)
const { database, node } = service

/** Ids as the Cloud API writes them: a few bytes, the digits of the person's number, then a unique part. */
const idSpelling = (recipient: string) =>
  `wamid.${Buffer.from(`\x1c\x18\x0c${recipient.slice(1)}\x15\x02\x00`).toString('base64')}`
const spells = (text: string, recipient: string) =>
  [text, Buffer.from(text.replace('wamid.', ''), 'base64').toString()].some((each) =>
    each.includes(recipient.slice(1)),
  )

/** Everything about a verification that the service's keys can decrypt, column by column. */
async function openedOf(otpId: string): Promise<string[]> {
  const columns = await database.query<{ table: string; column: string }>(
    `select t.relname::text as "table", a.attname::text as "column" from pg_class t join pg_attribute a on a.attrelid = t.oid
      where t.relnamespace = 'public'::regnamespace and t.relkind in ('r', 'p') and not t.relispartition
        and a.atttypid = 'bytea'::regtype
        and exists (select 1 from pg_attribute i where i.attrelid = t.oid and i.attname = 'otp_id')`,
  )
  const opened: string[] = []
  for (const { table, column } of columns) {
    const rows = await database.query<{ value: Buffer }>(
      `select ${column} as value from ${table} where otp_id = $1 and ${column} is not null`,
      [otpId],
    )
    for (const { value } of rows) {
      for (const contextOf of [messageContext, recipientContext]) {
        try {
          opened.push(node.app.keyring().open(value, contextOf(otpId as never)))
        } catch {
          // Sealed for another column, or empty.
        }
      }
    }
  }
  return opened
}

const erase = async ({ companyId }: Tenant, recipient: string, verifications = 1) => {
  const { body } = await node.manage('POST', `/companies/${companyId}/erasures`, { recipient })
  assert.deepEqual(body, { verifications })
}
const statusOf = async (otpId: string) => {
  const [row] = await database.query<{ status: string }>('select status from deliveries where otp_id = $1', [
    otpId,
  ])
  return row?.status
}
const isSent = (otpId: string) => until('it is sent', async () => (await statusOf(otpId)) === 'sent')

/** The account holds this message until the test decides its outcome. */
function holdBack(recipient: string) {
  let end: (outcome: SendOutcome) => void = () => {}
  const outcome = new Promise<SendOutcome>((resolve) => {
    end = resolve
  })
  const begun = new Promise<void>((resolve) => {
    node.capture.answerWith((outgoing) => {
      if (outgoing.recipient !== recipient) return { kind: 'accepted', messageId: null }
      resolve()
      return outcome
    })
  })
  return { begun, end }
}

describe('of an erased person nothing that can be opened spells the number', () => {
  const moments = {
    'after a message was taken': async (tenant: Tenant, recipient: string) => {
      node.capture.answerWith(() => ({ kind: 'accepted', messageId: idSpelling(recipient) }))
      const { body } = await send(node, tenant.serverKey, { recipient })
      await isSent(body.otp_id)
      assert.ok((await openedOf(body.otp_id)).some((text) => spells(text, recipient)))
      await erase(tenant, recipient)
      return body.otp_id
    },
    'while a message is handed over': async (tenant: Tenant, recipient: string) => {
      const { begun, end } = holdBack(recipient)
      const { body } = await send(node, tenant.serverKey, { recipient })
      await begun
      await erase(tenant, recipient)
      end({ kind: 'accepted', messageId: idSpelling(recipient) })
      await isSent(body.otp_id)
      return body.otp_id
    },
    'after a message of theirs was answered': async (_: Tenant, recipient: string) => {
      const tenant = await createTenant(node, linkSettings('link_code'))
      const { body } = await send(node, tenant.serverKey, { recipient })
      const messageId = idSpelling(recipient)
      await write(node, { from: recipient, text: linkText(body.action_url), messageId })
      await message(node, recipient)
      await isSent(body.otp_id)
      await erase(tenant, recipient)
      return body.otp_id
    },
  }

  for (const [moment, play] of Object.entries(moments)) {
    it(moment, async () => {
      const recipient = freshPhone()
      const otpId: string = await play(await createTenant(node), recipient)
      node.capture.answerWith(null)
      assert.deepEqual(
        (await openedOf(otpId)).filter((text) => spells(text, recipient)),
        [],
      )
    })
  }

  it('and a receipt still finds the message', async () => {
    const [tenant, recipient] = [await createTenant(node), freshPhone()]
    node.capture.answerWith(() => ({ kind: 'accepted', messageId: idSpelling(recipient) }))
    const { body } = await send(node, tenant.serverKey, { recipient })
    await isSent(body.otp_id)
    node.capture.answerWith(null)
    await erase(tenant, recipient)
    node.capture.receipt('capture-sms', {
      deliveryId: null,
      messageId: idSpelling(recipient),
      status: 'delivered',
      error: null,
      unreachable: false,
    })
    await until('the receipt is recorded', async () => (await statusOf(body.otp_id)) === 'delivered')
  })
})

it('an answer that is tried again while its person is being erased is given up, whatever comes of the erasure', async () => {
  const [tenant, recipient] = [await createTenant(node, linkSettings('link_code')), freshPhone()]
  const { begun, end } = holdBack(recipient)
  const { body } = await send(node, tenant.serverKey, { recipient })
  await write(node, { from: recipient, text: linkText(body.action_url), messageId: idSpelling(recipient) })
  await begun
  const ofPerson = { appId: tenant.appId as never, otpId: body.otp_id }
  await forgetMessageIds(node.app.database.of(tenant.companyId as never), [ofPerson])
  end({ kind: 'retry', error: { code: 'busy', message: 'Not now.' }, afterSeconds: null })
  await until('it is given up', async () => (await statusOf(body.otp_id)) === 'failed')
  node.capture.answerWith(null)
  assert.deepEqual(node.capture.to(recipient), [])
})

/** The processes that wait for one of these. */
const waitingFor = (pids: readonly number[]) =>
  until('somebody waits', async () => {
    const found = await database.query<{ pid: number }>(
      'select pid from pg_stat_activity where pg_blocking_pids(pid) && $1::integer[]',
      [pids],
    )
    return found.length > 0 && found.map(({ pid }) => pid)
  })

/** A connection of its own, which keeps an erasure where it is until it ends. */
async function openHolder() {
  const holder = new pg.Client({ connectionString: database.url })
  await holder.connect()
  const { rows } = await holder.query<{ pid: number }>('select pg_backend_pid() as pid')
  return { holder, pids: rows.map(({ pid }) => pid) }
}

const lockOfCompany = 'select 1 from companies where company_id = $1 for update'

it('what a provider called a message is gone before its verification is blank, so an erasure that is cut short leaves none', async () => {
  const [tenant, recipient] = [await createTenant(node), freshPhone()]
  node.capture.answerWith(() => ({ kind: 'accepted', messageId: idSpelling(recipient) }))
  const { body } = await send(node, tenant.serverKey, { recipient })
  await isSent(body.otp_id)
  node.capture.answerWith(null)
  const { holder, pids } = await openHolder()
  await holder.query('begin')
  await holder.query(lockOfCompany, [tenant.companyId])
  const erasing = erase(tenant, recipient)
  await waitingFor(pids)
  assert.deepEqual(await openedOf(body.otp_id), [recipient])
  await holder.end()
  await erasing
  assert.deepEqual(await openedOf(body.otp_id), [])
})

it('a message that is sent in the middle of an erasure leaves no name that its provider gave it', async () => {
  const [tenant, recipient] = [await createTenant(node), freshPhone()]
  node.capture.answerWith(() => ({ kind: 'accepted', messageId: idSpelling(recipient) }))
  const first = await send(node, tenant.serverKey, { recipient })
  await isSent(first.body.otp_id)
  const { holder, pids } = await openHolder()
  await holder.query('begin')
  await holder.query('select 1 from deliveries where otp_id = $1 for update', [first.body.otp_id])
  const erasing = erase(tenant, recipient, 2)
  await waitingFor(pids)
  const { body } = await send(node, tenant.serverKey, { recipient })
  await isSent(body.otp_id)
  node.capture.answerWith(null)
  assert.ok((await openedOf(body.otp_id)).includes(idSpelling(recipient)))
  await holder.end()
  await erasing
  assert.deepEqual(await openedOf(body.otp_id), [])
})

/** Writers of refusals hold this lock, and an erasure waits for it. Here it keeps an erasure waiting. */
const refusalsLock = 7_304_003

it('a failure that is written beside the erasure leaves nothing of the person', async () => {
  const [tenant, recipient] = [await createTenant(node), freshPhone()]
  const { begun, end } = holdBack(recipient)
  const { body } = await send(node, tenant.serverKey, { recipient })
  await begun
  const { holder, pids } = await openHolder()
  await holder.query('select pg_advisory_lock_shared($1)', [refusalsLock])
  const erasing = erase(tenant, recipient)
  const eraser = await waitingFor(pids)
  end({ kind: 'unreachable', error: { code: 'none', message: 'Not there.' } })
  await waitingFor(eraser)
  await holder.end()
  await erasing
  await until('the failure is written', async () => (await statusOf(body.otp_id)) === 'failed')
  node.capture.answerWith(null)
  const left = await database.query('select 1 from unreachable where company_id = $1', [tenant.companyId])
  assert.deepEqual(left, [])
})
