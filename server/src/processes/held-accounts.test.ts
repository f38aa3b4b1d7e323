import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { AccountContext, OutgoingMessage, SendOutcome } from '../channels/channel.ts'
import { HeldAccounts, kindsElsewhere } from './held-accounts.ts'
import type { HandedOn } from './questions.ts'

const settings = { host: '127.0.0.1', port: 1, system_id: 'a', password: 'b', source_addr: 'Shop' }
const context: AccountContext = {
  providerId: 'prv_a',
  isPassive: true,
  lookup: null,
  onReceipt: async () => {},
  log: () => {},
}
const message: OutgoingMessage = {
  deliveryId: 'dlv_a',
  recipient: '+447400000000',
  code: '123456',
  text: '123456',
  subject: '',
  html: '',
  locale: 'en',
  ttlSeconds: 60,
  nowMs: 0,
  inReplyTo: null,
  callbackUrl: '',
}
const inTime = () => new AbortController().signal
const sendElsewhere = (handOver: (handed: HandedOn) => Promise<SendOutcome>, signal = inTime()) =>
  kindsElsewhere(handOver).smpp.open(settings, context).send(message, signal)

describe('a process that does not hold the connection of an account', () => {
  it('hands the message on under the account’s name, and has the outcome from there', async () => {
    const handed: HandedOn[] = []
    const outcome = await sendElsewhere(async (one) => {
      handed.push(one)
      return { kind: 'accepted', messageId: '7' }
    })
    assert.deepEqual(outcome, { kind: 'accepted', messageId: '7' })
    assert.deepEqual(handed, [{ providerId: 'prv_a', message }])
  })

  it('does not know whether it left when the other process goes away, or the time is over', async () => {
    const gone = await sendElsewhere(() => Promise.reject(new Error('gone')))
    assert.equal(gone.kind, 'uncertain')
    const over = new AbortController()
    const late = await sendElsewhere(() => {
      // Aborted only once the call is under way. `AbortSignal.timeout` would not keep the process alive until then.
      setImmediate(() => over.abort())
      return new Promise(() => {})
    }, over.signal)
    assert.equal(late.kind, 'uncertain')
  })

  it('waits for an outcome that is being passed on when the time is over: all processes may have stood still', async () => {
    const over = new AbortController()
    const outcome = await sendElsewhere(async () => {
      over.abort()
      await new Promise(setImmediate)
      return { kind: 'accepted', messageId: '7' }
    }, over.signal)
    assert.deepEqual(outcome, { kind: 'accepted', messageId: '7' })
  })

  it('has connections of its own for kinds that may have several', () => {
    const elsewhere = kindsElsewhere(async () => ({ kind: 'accepted', messageId: null }))
    const held = new HeldAccounts()
    for (const name of ['smtp', 'twilio', 'whatsapp', 'telegram'] as const) {
      assert.equal(elsewhere[name], held.kinds[name])
    }
  })
})

describe('the process that holds the connections', () => {
  it('says of an account that it does not have that the message did not leave', async () => {
    const held = new HeldAccounts()
    assert.equal((await held.handOver({ providerId: 'prv_a', message })).kind, 'retry')
    const account = held.kinds.smpp.open(settings, context)
    await account.close()
    assert.equal((await held.handOver({ providerId: 'prv_a', message })).kind, 'retry')
  })

  it('sends over the newer one where an account was changed, also once the older has closed', async () => {
    const held = new HeldAccounts()
    const older = held.kinds.smpp.open(settings, context)
    const newer = held.kinds.smpp.open(settings, context)
    await older.close()
    const outcome = await held.handOver({ providerId: 'prv_a', message })
    const code = 'error' in outcome ? outcome.error.code : null
    assert.notEqual(code, 'not_connected', 'it was tried on a connection')
    await newer.close()
  })
})
