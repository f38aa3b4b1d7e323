import { createTransport } from 'nodemailer'
import type { SimulatorOptions } from '../../options.ts'
import { retry } from '../../retry.ts'
import type { Schedule } from '../../schedule.ts'
import { type DeliveryReport, REPORTING_HOST, writeDeliveryStatus } from './delivery-status.ts'

const TIMEOUT_MS = 10_000
const MAX_CONNECTIONS = 5

/** Sends delivery reports as real mail to the address where the service takes bounces. */
export class ReportSender {
  readonly #schedule: Schedule
  readonly #transport: ReturnType<typeof createBounceTransport> | null

  constructor(bounce: SimulatorOptions['bounce'], schedule: Schedule) {
    this.#schedule = schedule
    this.#transport = bounce === null ? null : createBounceTransport(bounce)
  }

  async send(report: DeliveryReport): Promise<void> {
    const transport = this.#transport
    if (transport === null) return
    // RFC 3464 §2: a report has no return path, so that it never causes another.
    const envelope = { from: '', to: [report.returnPath] }
    const raw = Buffer.from(writeDeliveryStatus(report), 'latin1')
    const isTaken = await retry(this.#schedule, async () => {
      try {
        await transport.sendMail({ envelope, raw })
        return true
      } catch (error) {
        return isPermanent(error)
      }
    })
    if (!isTaken && !this.#schedule.closed)
      console.error(`simulator: no one took the delivery report for ${report.returnPath}`)
  }

  close(): void {
    this.#transport?.close()
  }
}

function createBounceTransport(bounce: { readonly host: string; readonly port: number }) {
  return createTransport({
    host: bounce.host,
    port: bounce.port,
    secure: false,
    ignoreTLS: true,
    name: REPORTING_HOST,
    pool: true,
    maxConnections: MAX_CONNECTIONS,
    connectionTimeout: TIMEOUT_MS,
    greetingTimeout: TIMEOUT_MS,
    socketTimeout: TIMEOUT_MS,
  })
}

function isPermanent(error: unknown): boolean {
  const code = error instanceof Error && 'responseCode' in error ? error.responseCode : null
  return typeof code === 'number' && code >= 500
}
