import { Behaviours } from './behaviour.ts'
import { CallbackSender } from './callback-sender.ts'
import { MessageStream } from './control/stream.ts'
import { createHttpServer } from './http/server.ts'
import { Inbox } from './inbox.ts'
import { boundPort, listen } from './listen.ts'
import type { SimulatorOptions } from './options.ts'
import { buildRoutes } from './routes.ts'
import { Schedule } from './schedule.ts'
import { Service } from './service.ts'
import { GatewayReceipts } from './wires/gateway/receipts.ts'
import { gatewaySend } from './wires/gateway/send.ts'
import { countMessageIds } from './wires/smpp/message-ids.ts'
import { Reassembly } from './wires/smpp/reassembly.ts'
import { ReceiptOutbox } from './wires/smpp/receipt-outbox.ts'
import { createSmppServer } from './wires/smpp/server.ts'
import { ReportSender } from './wires/smtp/report-sender.ts'
import { createSmtpServer } from './wires/smtp/server.ts'
import { telegramGateway } from './wires/telegram/gateway.ts'
import { GatewayAccount } from './wires/telegram/gateway-request.ts'
import { TelegramReceipts } from './wires/telegram/receipts.ts'
import { WhatsAppPeople } from './wires/whatsapp/people.ts'
import { whatsAppSend } from './wires/whatsapp/send.ts'
import { WhatsAppWebhook } from './wires/whatsapp/webhook.ts'

export interface Simulator {
  readonly httpPort: number
  readonly smtpPort: number
  readonly smppPort: number
  close(): Promise<void>
}

/** Builds every carrier once and starts them together, or none. */
export async function startSimulator(options: SimulatorOptions): Promise<Simulator> {
  const host = options.host ?? '127.0.0.1'
  const schedule = new Schedule()
  const sender = new CallbackSender(schedule)
  const inbox = new Inbox()
  const behaviours = new Behaviours()
  const shared = { inbox, behaviours, schedule }

  const people = new WhatsAppPeople()
  const webhook = new WhatsAppWebhook(options.whatsapp, sender)
  const stream = new MessageStream(inbox, people, behaviours)
  const account = new GatewayAccount()
  const receipts = new TelegramReceipts(options.telegram.token, account, sender, schedule)
  const routes = buildRoutes({
    ...shared,
    people,
    webhook,
    stream,
    service: new Service(options.serviceToken ?? null),
    whatsAppSend: whatsAppSend({ ...shared, options: options.whatsapp, people, webhook }),
    telegramGateway: telegramGateway(options.telegram.token, { ...shared, account, receipts }),
    gatewaySend: gatewaySend({ ...shared, receipts: new GatewayReceipts(sender, schedule) }),
    whatsAppNumber: `+${options.whatsapp.displayPhoneNumber.replace(/^\+/, '')}`,
  })

  const reports = new ReportSender(options.bounce, schedule)
  const http = createHttpServer(routes, options.publicHost ?? null)
  const smtp = createSmtpServer(options.smtp, { ...shared, reports })
  const outbox = new ReceiptOutbox(schedule)
  const reassembly = new Reassembly(schedule)
  const smpp = createSmppServer(options.smpp, {
    ...shared,
    reassembly,
    outbox,
    newMessageId: countMessageIds(),
  })

  async function close(): Promise<void> {
    schedule.close()
    stream.close()
    reports.close()
    const closed = Promise.all([
      new Promise((resolve) => http.close(resolve)),
      new Promise((resolve) => smpp.close(resolve)),
      new Promise<void>((resolve) => smtp.close(() => resolve())),
      sender.close(),
    ])
    http.closeAllConnections()
    for (const session of [...smpp.sessions]) session.destroy()
    await closed
  }

  try {
    await listen(http, 'http', options.httpPort, host)
    await listen(smtp, 'smtp', options.smtpPort, host)
    await listen(smpp, 'smpp', options.smppPort, host)
  } catch (error) {
    await close()
    throw error
  }
  return {
    httpPort: boundPort(http.address()),
    smtpPort: boundPort(smtp.server.address()),
    smppPort: boundPort(smpp.address()),
    close,
  }
}
