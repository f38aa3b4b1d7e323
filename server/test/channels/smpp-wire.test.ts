import assert from 'node:assert/strict'
import { createServer, type Socket } from 'node:net'
import { describe, it } from 'node:test'
import { relativeTime } from '../../src/channels/smpp/bodies.ts'
import { smpp } from '../../src/channels/smpp/index.ts'
import { canonicalMessageId, receiptMessageIds } from '../../src/channels/smpp/message-id.ts'
import { encodePdu, PduReader } from '../../src/channels/smpp/pdu.ts'
import { deferred, generousDeadline, listen, outgoing, recordingContext } from './support.ts'

const hex = (text: string): Buffer => Buffer.from(text.replaceAll(/\s/g, ''), 'hex')

const BIND = hex('0000001f 00000009 00000000 00000001 75736572 00 70617373 00 00 34 00 00 00')
const BIND_RESPONSE = hex('00000015 80000009 00000000 00000001 534d5343 00')
const SUBMIT =
  hex(`00000058 00000004 00000000 00000002 00 05 00 41434d4500 01 01 313431353535353031323300 00 00 00 00
  303030303030303031303030303030 5200 01 00 00 00 18 596f75722041434d4520636f646520697320313233343536`)
const SUBMIT_RESPONSE = hex('00000017 80000004 00000000 00000002 304131423243 00')
const RECEIPT_TEXT =
  'id:0A1B2C sub:001 dlvrd:001 submit date:2501010000 done date:2501010001 stat:DELIVRD err:000 text:Your ACME code is 12'
const DELIVER = Buffer.concat([
  hex(
    '000000b6 00000005 00000000 0000004d 00 0101 313431353535353031323300 0500 41434d4500 04 00 00 00 00 00 00 00 00',
  ),
  Buffer.from([RECEIPT_TEXT.length]),
  Buffer.from(RECEIPT_TEXT, 'ascii'),
  hex('001e0007 30413142324300 0427000102'),
])
const DELIVER_RESPONSE = hex('00000011 80000005 00000000 0000004d 00')
const UNBIND_ID = 6

const settings = (port: number) =>
  smpp.settings.parse({ host: '127.0.0.1', port, system_id: 'user', password: 'pass', source_addr: 'ACME' })

/** A carrier that handles raw bytes: `answer` gets each packet and writes whatever it wants. */
function byteServer(answer: (packet: Buffer, socket: Socket) => void) {
  return createServer((socket) => {
    const reader = new PduReader()
    socket.on('error', () => {})
    socket.on('data', (chunk) => {
      for (const pdu of reader.push(chunk)) {
        if (pdu.commandId === UNBIND_ID) socket.end()
        else answer(encodePdu(pdu), socket)
      }
    })
  })
}

describe('smpp on the wire', () => {
  it('speaks the test vectors byte for byte, from bind to receipt', async (test) => {
    const packets: Buffer[] = []
    const acknowledged = deferred()
    const answers = new Map([
      [BIND.toString('hex'), [BIND_RESPONSE]],
      // The receipt arrives in one chunk with the answer that has the message's id.
      [SUBMIT.toString('hex'), [SUBMIT_RESPONSE, DELIVER]],
    ])
    const server = byteServer((packet, socket) => {
      packets.push(packet)
      const reply = answers.get(packet.toString('hex'))
      if (reply !== undefined) socket.write(Buffer.concat(reply))
      if (packet.equals(DELIVER_RESPONSE)) acknowledged.resolve()
    })
    const context = recordingContext()
    const account = smpp.open(settings(await listen(test, server)), context)
    const outcome = await account.send(outgoing(), generousDeadline())
    await acknowledged.promise
    await account.close()
    assert.equal(DELIVER.length, 182)
    assert.deepEqual(
      packets.map((packet) => packet.toString('hex')),
      [BIND, SUBMIT, DELIVER_RESPONSE].map((packet) => packet.toString('hex')),
    )
    assert.deepEqual(outcome, { kind: 'accepted', messageId: 'a1b2c' })
    assert.deepEqual(context.receipts, [
      { deliveryId: 'dlv_01', messageId: 'a1b2c', status: 'delivered', error: null, unreachable: false },
    ])
  })

  it('reads packets however the network cuts them', () => {
    const stream = Buffer.concat([BIND, SUBMIT, DELIVER])
    for (const size of [1, 3, 16, 17, 100, stream.length]) {
      const reader = new PduReader()
      const read: Buffer[] = []
      for (let at = 0; at < stream.length; at += size) {
        read.push(...reader.push(stream.subarray(at, at + size)).map(encodePdu))
      }
      assert.ok(Buffer.concat(read).equals(stream), String(size))
    }
  })

  it('reads a receipted_message_id without its closing NUL', async (test) => {
    const unterminated = Buffer.concat([DELIVER.subarray(0, -18), hex('04270001 02 001e0006 304131423243')])
    unterminated.writeUInt32BE(unterminated.length, 0)
    const server = byteServer((packet, socket) => {
      if (packet.equals(BIND)) socket.write(Buffer.concat([BIND_RESPONSE, unterminated]))
    })
    const context = recordingContext()
    const account = smpp.open(settings(await listen(test, server)), context)
    test.after(account.close)
    assert.equal((await context.receipt(1)).messageId, 'a1b2c')
  })

  it('hangs up on a stream that is no SMPP, and what was on its way is uncertain', async (test) => {
    const server = byteServer((packet, socket) => {
      socket.write(packet.equals(BIND) ? BIND_RESPONSE : hex('00000003 80000004 00000000 00000002'))
    })
    const account = smpp.open(settings(await listen(test, server)), recordingContext())
    test.after(account.close)
    const outcome = await account.send(outgoing(), generousDeadline())
    assert.equal(outcome.kind, 'uncertain')
  })

  it('takes no other packet for the carrier’s word that it took a message', async (test) => {
    let answer = hex('')
    const server = byteServer((packet, socket) => socket.write(packet.equals(BIND) ? BIND_RESPONSE : answer))
    const account = smpp.open(settings(await listen(test, server)), recordingContext())
    test.after(account.close)
    for (const [sequence, command, status, kind] of [
      [2, '80000000', '00000000', 'uncertain'],
      [3, '80000015', '00000000', 'uncertain'],
      [4, '80000000', '00000003', 'refused'],
      [5, '80000004', '00000000', 'accepted'],
    ] as const) {
      answer = hex(`00000010 ${command} ${status} 0000000${sequence}`)
      const outcome = await account.send(outgoing(), generousDeadline())
      assert.equal(outcome.kind, kind, command)
    }
  })

  it('lets a carrier that unbinds answer what it has taken, and sends it nothing more', async (test) => {
    const unbind = hex('00000010 00000006 00000000 00000063')
    const enquiry = hex('00000010 00000015 00000000 00000064')
    const heard: string[] = []
    const during: ReturnType<typeof account.send>[] = []
    const hasLeft = deferred()
    const server = byteServer((packet, socket) => {
      if (packet.equals(BIND)) socket.write(BIND_RESPONSE)
      else heard.push(packet.toString('hex', 4, 8))
      if (packet.equals(SUBMIT)) socket.write(Buffer.concat([unbind, enquiry]))
      if (packet.readUInt32BE(4) === 0x8000_0015) {
        // At once, because a carrier has two seconds for this.
        during.push(account.send(outgoing(), generousDeadline()))
        socket.write(SUBMIT_RESPONSE)
      }
      if (packet.readUInt32BE(4) === 0x8000_0006) hasLeft.resolve()
    })
    const account = smpp.open(settings(await listen(test, server)), recordingContext())
    test.after(account.close)
    const first = account.send(outgoing(), generousDeadline())
    assert.deepEqual(await first, { kind: 'accepted', messageId: 'a1b2c' })
    await hasLeft.promise
    assert.deepEqual(
      (await Promise.all(during)).map(({ kind }) => kind),
      ['retry'],
    )
    assert.deepEqual(heard, ['00000004', '80000015', '80000006'])
  })

  it('leaves a carrier that unbinds and answers nothing more', async (test) => {
    const server = byteServer((packet, socket) => {
      socket.write(packet.equals(BIND) ? BIND_RESPONSE : hex('00000010 00000006 00000000 00000063'))
    })
    const account = smpp.open(settings(await listen(test, server)), recordingContext())
    test.after(account.close)
    assert.equal((await account.send(outgoing(), generousDeadline())).kind, 'uncertain')
  })

  it('answers a packet that it does not know, and a deliver_sm that it cannot read', async (test) => {
    const answers: string[] = []
    const both = deferred()
    const server = byteServer((packet, socket) => {
      if (packet.equals(BIND)) {
        const unknown = encodePdu({ commandId: 0x103, status: 0, sequence: 7, body: Buffer.alloc(0) })
        const broken = encodePdu({ commandId: 5, status: 0, sequence: 8, body: hex('0001') })
        socket.write(Buffer.concat([BIND_RESPONSE, unknown, broken]))
        return
      }
      answers.push(packet.toString('hex'))
      if (answers.length === 2) both.resolve()
    })
    const account = smpp.open(settings(await listen(test, server)), recordingContext())
    test.after(account.close)
    await both.promise
    assert.deepEqual(answers, ['00000010800000000000000300000007', '0000001180000005000000000000000800'])
  })
})

describe('smpp names and times', () => {
  it('writes how long a message is worth delivering', () => {
    assert.equal(relativeTime(600), '000000001000000R')
    assert.equal(relativeTime(59.9), '000000000059000R')
    assert.equal(relativeTime(90_061), '000001010101000R')
    assert.equal(relativeTime(0), '000000000001000R')
  })

  it('knows one message by its hexadecimal and its decimal name', () => {
    assert.equal(canonicalMessageId('000A1B2C'), 'a1b2c')
    assert.equal(canonicalMessageId('0000'), '0')
    assert.equal(canonicalMessageId(' '), null)
    assert.deepEqual(receiptMessageIds('0000662316'), ['662316', 'a1b2c', String(0x662316)])
    assert.deepEqual(receiptMessageIds('0A1B2C'), ['a1b2c', '662316'])
    assert.deepEqual(receiptMessageIds('6f9619ff-8b86-d011'), ['6f9619ff-8b86-d011'])
  })
})
