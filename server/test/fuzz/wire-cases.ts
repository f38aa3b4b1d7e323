/** What carriers, mail servers and lists send (packets, dialogues, reports, files), and data that is hardly HTTP. */
import { once } from 'node:events'
import { connect, createServer, type Server } from 'node:net'
import { smppSettings } from '@countersign/contract'
import { readDeliverSm } from '../../src/channels/smpp/bodies.ts'
import { COMMAND, encodePdu, PduReader, responseId } from '../../src/channels/smpp/pdu.ts'
import { readReceipt } from '../../src/channels/smpp/receipt.ts'
import { SmppSession } from '../../src/channels/smpp/session.ts'
import { type BounceListener, startBounceListener } from '../../src/channels/smtp/bounce-listener.ts'
import { readDeliveryStatus } from '../../src/channels/smtp/delivery-status.ts'
import { openMmdb } from '../../src/domain/guard/reputation/mmdb.ts'
import { parseTextList } from '../../src/domain/guard/reputation/text-list.ts'
import { UnreadableError } from '../../src/domain/guard/reputation/unreadable.ts'
import { writeMmdb } from '../harness/write-mmdb.ts'
import type { Case } from './case.ts'
import type { Random } from './random.ts'

const commands = [
  ...Object.values(COMMAND),
  ...Object.values(COMMAND).map((each) => responseId(each % 0x8000_0000)),
  0xffff_ffff,
] as unknown as readonly [number, ...number[]]

const receiptText =
  'id:0123456789 sub:001 dlvrd:001 submit date:2601010000 done date:2601010000 stat:DELIVRD err:000 text:x'
const deliverBody = Buffer.concat([
  Buffer.from('\0\x01\x0144740\0\x01\x01\x3447\0\x04\0\0\0\0\0\0\0\0'),
  Buffer.from([receiptText.length]),
  Buffer.from(receiptText),
  Buffer.from([0x00, 0x1e, 0x00, 0x03, 0x61, 0x62, 0x00]),
])

const report = [
  'From: mailer@example.com',
  'Content-Type: multipart/report; report-type=delivery-status; boundary="b"',
  '',
  '--b',
  'Content-Type: message/delivery-status',
  '',
  'Reporting-MTA: dns; mail.example.com',
  '',
  'Final-Recipient: rfc822; a@example.com',
  'Action: failed',
  'Status: 5.1.1',
  'Diagnostic-Code: smtp; 550 no such user',
  '',
  '--b--',
  '',
].join('\r\n')

const listText = '# a list\n192.0.2.0/24\n2001:db8::/32\n198.51.100.7 - 198.51.100.9\n203.0.113.5;x\n'
const listDatabase = writeMmdb({
  '192.0.2.0/24': { is_tor: true },
  '2001:db8::/32': { traits: { vpn: true } },
})
const looked = ['192.0.2.1', '2001:db8::1', '1.1.1.1']

const rawCall = [
  'POST /api/v1/otp/send HTTP/1.1',
  'Host: localhost',
  'Authorization: Bearer x',
  'Content-Type: application/json',
  'Transfer-Encoding: chunked',
  '',
  '2',
  '{}',
  '0',
  '',
  'GET /healthz HTTP/1.1',
  'Host: localhost',
  'Connection: close',
  '',
  '',
].join('\r\n')

/** A caller without an answer by then closes the connection. */
const replyMs = 5_000
const good = null

type Work = () => Promise<void>

export class WireCases {
  readonly #random: Random
  readonly #carrier: Server
  readonly #mail: BounceListener
  readonly #port: number
  #next: Buffer = Buffer.alloc(0)

  private constructor(random: Random, carrier: Server, mail: BounceListener, port: number) {
    this.#random = random
    this.#carrier = carrier
    this.#mail = mail
    this.#port = port
    carrier.on('connection', (socket) => {
      // It must read what it is sent, or the socket would never close.
      socket.on('error', () => {}).resume()
      socket.end(this.#next)
    })
  }

  static async open(random: Random, port: number): Promise<WireCases> {
    const carrier = createServer().listen(0, '127.0.0.1')
    await once(carrier, 'listening')
    const mail = await startBounceListener({
      host: '127.0.0.1',
      port: 0,
      verifyReturnPath: (address) => (address.startsWith('bounce') ? 'dlv_01' : null),
      onReceipt: async () => {},
    })
    return new WireCases(random, carrier, mail, port)
  }

  async close(): Promise<void> {
    await this.#mail.close()
    await new Promise((resolve) => this.#carrier.close(resolve))
  }

  readonly #kinds: readonly [() => Case, ...(() => Case)[]] = [
    () => this.#packet(),
    () => this.#carrierTalks(),
    () => this.#dialogue(),
    () => this.#report(),
    () => this.#list(),
    () => this.#listDatabase(),
    () => this.#rawCall(),
  ]

  make(): Case {
    return this.#random.pick(this.#kinds)()
  }

  #stream(): Buffer {
    const random = this.#random
    const packets = Array.from({ length: 1 + random.below(4) }, () =>
      encodePdu({
        commandId: random.pick(commands),
        status: random.chance(0.7) ? 0 : random.below(0x1_0000),
        sequence: random.below(4),
        body: random.chance(0.6) ? random.mutate(deliverBody) : random.bytes(random.below(40)),
      }),
    )
    const stream = Buffer.concat(packets)
    return random.chance(0.5) ? stream : random.mutate(stream)
  }

  #packet(): Case {
    const stream = this.#stream()
    return caseOf('a packet', stream, async () => {
      try {
        for (const { body } of new PduReader().push(stream)) readReceipt(readDeliverSm(body))
      } catch (error) {
        if (!(error instanceof RangeError)) throw error
      }
    })
  }

  #carrierTalks(): Case {
    const stream = this.#stream()
    return caseOf('a carrier', stream, async () => {
      this.#next = stream
      const address = this.#carrier.address()
      if (address === null || typeof address === 'string') throw new Error('no carrier')
      const settings = smppSettings.parse({
        host: '127.0.0.1',
        port: address.port,
        system_id: 'fuzz',
        password: 'fuzz',
        source_addr: 'Fuzz',
      })
      await new Promise<void>((resolve) => {
        const session = new SmppSession(settings, null, {
          onDeliver: async (deliver) => void readReceipt(deliver),
          onEnd: () => resolve(),
        })
        void session.bind()
      })
    })
  }

  #dialogue(): Case {
    const random = this.#random
    const mail = random.chance(0.5) ? random.mutate(Buffer.from(report)) : Buffer.from(report)
    const lines = [
      'EHLO x',
      'MAIL FROM:<>',
      `RCPT TO:<bounce+${random.below(99)}@example.com>`,
      'DATA',
      `${mail.toString('latin1')}\r\n.`,
      'NOOP',
      'RSET',
      'QUIT',
    ].filter(() => random.chance(0.85))
    const plain = Buffer.from(`${lines.join('\r\n')}\r\n`, 'latin1')
    const said = random.chance(0.5) ? plain : random.mutate(plain)
    return caseOf('to the mail port', said, async () => {
      const heard = await talk(this.#mail.port, said, { isGreeted: true })
      if (heard.length === 0) throw new Error('the mail port has hung up without a word')
    })
  }

  #report(): Case {
    const mail = this.#random.mutate(Buffer.from(report))
    return caseOf('a report', mail, async () => void readDeliveryStatus(mail, 'dlv_01'))
  }

  #list(): Case {
    const list = this.#random.mutate(Buffer.from(listText))
    return caseOf('a list', list, () => unlessUnreadable(async () => void (await parseTextList(list))))
  }

  #listDatabase(): Case {
    const list = this.#random.mutate(listDatabase)
    return caseOf('a list as a database', list, () =>
      unlessUnreadable(async () => {
        const { classOf } = openMmdb(list, 'vpn')
        try {
          for (const address of looked) classOf(address)
        } catch {
          // Callers treat a record that cannot be read as missing.
        }
      }),
    )
  }

  /** Two calls on one connection, with some bytes changed. */
  #rawCall(): Case {
    const said = this.#random.mutate(Buffer.from(rawCall))
    return caseOf('to the port of the API', said, async () => {
      const heard = (await talk(this.#port, said, { isGreeted: false })).toString('latin1')
      if (/^HTTP\/1.1 5/m.test(heard)) throw new Error(`→ ${heard.slice(0, 300)}`)
    })
  }
}

const caseOf = (kind: string, bytes: Buffer, work: Work): Case => ({
  said: `${kind}: ${JSON.stringify(bytes.toString('latin1'))}`,
  run: () => work().then(() => good),
})

async function unlessUnreadable(work: Work): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!(error instanceof UnreadableError)) throw error
  }
}

/** Sends everything, ends its side, and reads until the other side ends too. */
async function talk(port: number, said: Buffer, { isGreeted }: { isGreeted: boolean }): Promise<Buffer> {
  const socket = connect(port, '127.0.0.1')
  const heard: Buffer[] = []
  socket.on('error', () => {})
  socket.on('data', (chunk) => heard.push(chunk))
  const closed = once(socket, 'close')
  if (isGreeted) await once(socket, 'data')
  socket.end(said)
  const late = setTimeout(() => socket.destroy(), replyMs)
  await closed
  clearTimeout(late)
  return Buffer.concat(heard)
}
