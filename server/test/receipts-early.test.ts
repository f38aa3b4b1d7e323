/** Receipts that arrive before we have recorded our own result are stored, and applied later. */
import assert from 'node:assert/strict'
import { subscribe as listen } from 'node:diagnostics_channel'
import { after, describe, it } from 'node:test'
import type { Receipt } from '../src/channels/channel.ts'
import type { Provider } from '../src/domain/routing/index.ts'
import { Capture } from './harness/capture.ts'
import { createTenant, freshPhone, patiently, send, sendPatiently, until } from './harness/fixtures.ts'
import { startTwoNodeService } from './harness/service.ts'

const capture = new Capture()
const provider = 'capture-sms'
const hearing = (original: Provider): Provider => ({
  ...original,
  account: {
    ...original.account,
    parseCallback: ({ body }) => ({
      kind: 'accepted',
      receipts: JSON.parse(body.toString()) as Receipt[],
      inbound: [],
    }),
  },
})
const { database, nodes, close } = await startTwoNodeService({
  capture,
  builtIn: () => capture.providers().map(hearing),
})
after(close)
const [node, other] = nodes

const word = (messageId: string): Receipt => ({
  deliveryId: null,
  messageId,
  status: 'delivered',
  error: null,
  unreachable: false,
})
/** As a carrier does: repeats it if a busy machine answers 503. */
const bring = (receipts: readonly Receipt[], account = provider, to = node) =>
  patiently(() => to.call('POST', `/hooks/${account}`, { body: receipts }))
const countOf = async (account: string) =>
  (
    await database.query<{ count: number }>(
      'select count(*)::integer as count from early_receipts where provider_id = $1',
      [account],
    )
  )[0]?.count

let stored = 0
listen('countersign:statement', (text) => {
  if (typeof text === 'string' && text.includes('insert into early_receipts')) stored++
})

describe('early receipts', () => {
  it('that come together are stored together, however many they are', async () => {
    const account = 'capture-whatsapp'
    const receipts = Array.from({ length: 1_000 }, (_, index) => word(`unknown-${index}`))
    const answer = await bring(receipts, account)
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    assert.equal(await countOf(account), receipts.length)
    assert.ok(stored <= receipts.length / 10, `${stored} statements`)
  })

  it('brought to one node meet the message of another, whichever of the two is first', async () => {
    const { serverKey, appId } = await createTenant(node, { routing: { default: ['sms'] } })
    capture.answerWith(async ({ deliveryId }) => {
      const brought = bring([word(deliveryId.slice(4))], provider, Math.random() < 0.5 ? node : other)
      // At any time from before the answer to after it.
      if (Math.random() < 0.5) await brought
      return { kind: 'accepted', messageId: deliveryId.slice(4) }
    })
    await Promise.all(
      Array.from({ length: 100 }, () => sendPatiently(node, serverKey, { recipient: freshPhone() })),
    )
    await until('all to be delivered', async () => {
      const rows = await database.query(
        `select 1 from deliveries where app_id = $1 and status = 'delivered'`,
        [appId],
      )
      return rows.length === 100
    })
    capture.answerWith(null)
    await until('nothing to be left of them', async () => (await countOf(provider)) === 0)
    const events = await database.query('select 1 from events where app_id = $1', [appId])
    assert.equal(events.length, 100)
  })

  it('keep all that they say, and the first of one message stands', async () => {
    const { serverKey, appId } = await createTenant(node, { routing: { default: ['sms'] } })
    const error = { code: '30006', message: 'No messages reach this number.' }
    const gone = { status: 'failed', error, unreachable: true } as const
    const said: Partial<Receipt>[][] = [
      [gone, {}],
      [{}, gone],
    ]
    capture.answerWith(async ({ deliveryId }) => {
      const messageId = deliveryId.slice(4)
      for (const each of said.shift() ?? []) await bring([{ ...word(messageId), ...each }])
      return { kind: 'accepted', messageId }
    })
    const ended = async () => {
      const { body } = await send(node, serverKey, { recipient: freshPhone() })
      return until('its receipts to be applied', async () => {
        const [row] = await database.query<{ status: string; error_code: string; error_message: string }>(
          `select status, error_code, error_message from deliveries
            where otp_id = $1 and status in ('delivered', 'failed')`,
          [body.otp_id],
        )
        return row
      })
    }
    assert.deepEqual(await ended(), {
      status: 'failed',
      error_code: error.code,
      error_message: error.message,
    })
    assert.deepEqual(await database.query('select channel from unreachable where app_id = $1', [appId]), [
      { channel: 'sms' },
    ])
    assert.deepEqual(await ended(), { status: 'delivered', error_code: null, error_message: null })
    capture.answerWith(null)
  })

  it('that a crash left between storing and looking are found by a sweep', async () => {
    const { serverKey } = await createTenant(node, { routing: { default: ['sms'] } })
    const { body } = await send(node, serverKey, { recipient: freshPhone() })
    await until('it to be sent', async () => {
      const rows = await database.query(
        `insert into early_receipts (company_id, provider_id, name, status, unreachable, created_at, expires_at)
         select 'operator', provider_id, message_hash, 'delivered', false, now() - interval '1 minute', now() + interval '9 minutes'
           from deliveries where otp_id = $1 and status = 'sent' returning 1`,
        [body.otp_id],
      )
      return rows.length === 1
    })
    await until('it to be delivered', async () => {
      const rows = await database.query(
        `select 1 from deliveries where otp_id = $1 and status = 'delivered'`,
        [body.otp_id],
      )
      return rows.length === 1
    })
    // It is deleted only after it was applied, so that a crash in between loses nothing.
    await until('it to be taken away', async () => (await countOf(provider)) === 0)
  })

  it('of a provider that floods us are bounded, and push out nobody else’s', async () => {
    assert.equal((await bring([word('mine')], 'capture-telegram')).status, 200)
    for (let from = 0; from < 2_300; from += 50) {
      const some = Array.from({ length: 50 }, (_, index) => word(`unknown-${from + index}`))
      assert.equal((await bring(some)).status, 200)
    }
    const kept = (await countOf(provider)) ?? 0
    assert.ok(kept > 1_000 && kept <= 2_000, `${kept}`)
    assert.equal(await countOf('capture-telegram'), 1)
  })

  it('that come again when there are too many stay, and others go', async () => {
    const account = 'capture-email'
    const oldest = async () =>
      (
        await database.query<{ at: Date }>(
          'select min(created_at) as at from early_receipts where provider_id = $1',
          [account],
        )
      )[0]?.at
    await bring([word('again')], account)
    const before = await oldest()
    await bring(
      Array.from({ length: 1_999 }, (_, index) => word(`unknown-${index}`)),
      account,
    )
    assert.equal(await countOf(account), 2_000)
    await bring([word('again')], account)
    assert.ok(((await countOf(account)) ?? 0) < 2_000)
    assert.deepEqual(await oldest(), before)
    await database.query('delete from early_receipts where provider_id = $1', [account])
  })

  it('that come again are stored once, and a name that cannot be ours is not stored', async () => {
    await bring([word('twice'), word('twice')], 'capture-email')
    await bring([{ ...word('x'), deliveryId: 'not an id' }], 'capture-email')
    assert.equal(await countOf('capture-email'), 1)
  })
})
