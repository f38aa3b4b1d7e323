/** What carriers, mail servers and lists send: packets, dialogues, reports, files. */
import { once } from 'node:events'
import { connect, createServer, type Server } from 'node:net'
import { smppSettings } from '@countersign/contract'
import { readDeliverSm } from '../../src/channels/smpp/bodies.ts'
import { COMMAND, encodePdu, PduReader, responseId } from '../../src/channels/smpp/pdu.ts'
import { readReceipt } from '../../src/channels/smpp/receipt.ts'
import { SmppSession } from '../../src/channels/smpp/session.ts'
import { type BounceListener, startBounceListener } from '../../src/channels/smtp/bounce-listener.ts'
import { readDeliveryStatus } from '../../src/channels/smtp/delivery-status.ts'
import { parseTextList } from '../../src/domain/guard/reputation/text-list.ts'
import { UnreadableError } from '../../src/domain/guard/reputation/unreadable.ts'
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

const replyMs = 5_000

export class WireCases {
  readonly #random: Random
  readonly #carrier: Server
  readonly #mail: BounceListener
  #next: Buffer = Buffer.alloc(0)
  /** What was said last. */
  last = ''

  private constructor(random: Random, carrier: Server, mail: BounceListener) {
    this.#random = random
    this.#carrier = carrier
    this.#mail = mail
    carrier.on('connection', (socket) => {
      socket.on('error', () => {})
      socket.end(this.#next)
    })
  }

  static async open(random: Random): Promise<WireCases> {
    const carrier = createServer().listen(0, '127.0.0.1')
    await once(carrier, 'listening')
    const mail = await startBounceListener({
      host: '127.0.0.1',
      port: 0,
      verifyReturnPath: (address) => (address.startsWith('bounce') ? 'dlv_01' : null),
      onReceipt: async () => {},
    })
    return new WireCases(random, carrier, mail)
  }

  async close(): Promise<void> {
    await this.#mail.close()
    await new Promise((resolve) => this.#carrier.close(resolve))
  }

  readonly kinds: readonly [() => Promise<void>, ...(() => Promise<void>)[]] = [
    () => this.#packet(),
    () => this.#carrierTalks(),
    () => this.#dialogue(),
    () => this.#report(),
    () => this.#list(),
  ]

  /** Rejects when something other than a refusal comes of it. */
  run(): Promise<void> {
    return this.#random.pick(this.kinds)()
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

  async #packet(): Promise<void> {
    try {
      for (const { body } of new PduReader().push(this.#stream())) readReceipt(readDeliverSm(body))
    } catch (error) {
      if (!(error instanceof RangeError)) throw error
    }
  }

  async #carrierTalks(): Promise<void> {
    this.#next = this.#stream()
    this.last = `a carrier: ${this.#next.toString('hex')}`
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
  }

  async #dialogue(): Promise<void> {
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
    const said = Buffer.from(`${lines.join('\r\n')}\r\n`, 'latin1')
    this.last = `to the mail server: ${JSON.stringify(said.toString('latin1'))}`
    const socket = connect(this.#mail.port, '127.0.0.1')
    socket.on('error', () => {})
    const closed = once(socket, 'close')
    let heard = 0
    socket.on('data', (chunk) => {
      heard += chunk.length
    })
    await once(socket, 'data')
    socket.end(random.chance(0.5) ? said : random.mutate(said))
    const late = setTimeout(() => socket.destroy(new Error('no end')), replyMs)
    await closed
    clearTimeout(late)
    if (heard === 0) throw new Error('the mail server has hung up without a word')
  }

  async #report(): Promise<void> {
    readDeliveryStatus(this.#random.mutate(Buffer.from(report)), 'dlv_01')
  }

  async #list(): Promise<void> {
    try {
      await parseTextList(this.#random.mutate(Buffer.from(listText)))
    } catch (error) {
      if (!(error instanceof UnreadableError)) throw error
    }
  }
}
