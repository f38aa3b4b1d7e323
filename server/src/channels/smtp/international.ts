/**
 * Whether a mail server accepts addresses beyond ASCII (SMTPUTF8, RFC 6531). nodemailer passes such an address to any
 * server, and one that does not support it loses or garbles the mail. So the server is asked first, and again at
 * intervals.
 */
import type { Socket } from 'node:net'
import type { SMTPConnectionOptions } from 'nodemailer'
import SMTPConnection from 'nodemailer/lib/smtp-connection'

const ANSWER_KEPT_MS = 10 * 60_000

export const isInternational = (address: string): boolean => /\P{ASCII}/u.test(address)

export class InternationalCheck {
  readonly #options: SMTPConnectionOptions
  readonly #connect: (() => Promise<Socket>) | null
  #kept: { readonly answer: Promise<boolean>; readonly untilMs: number } | null = null

  /** `connect` is given if the server's address has to be checked before connecting. */
  constructor(options: SMTPConnectionOptions, connect: (() => Promise<Socket>) | null) {
    this.#options = options
    this.#connect = connect
  }

  /** Rejects if the server cannot be asked. */
  async isTaken(): Promise<boolean> {
    if (!this.#kept || this.#kept.untilMs <= performance.now()) {
      const answer = this.#ask()
      this.#kept = { answer, untilMs: performance.now() + ANSWER_KEPT_MS }
      answer.catch(() => {
        this.#kept = null
      })
    }
    return this.#kept.answer
  }

  async #ask(): Promise<boolean> {
    const connection = new SMTPConnection({
      ...this.#options,
      ...(this.#connect ? { connection: await this.#connect() } : {}),
    })
    try {
      await new Promise<void>((resolve, reject) => {
        connection.once('error', reject)
        connection.once('end', () => reject(Object.assign(new Error('ended'), { code: 'ECONNECTION' })))
        connection.connect((error) => (error ? reject(error) : resolve()))
      })
      // The last response before signing in is the answer to EHLO, under TLS if there is any.
      return /^250[ -]SMTPUTF8\b/im.test(String(connection.lastServerResponse))
    } finally {
      connection.on('error', () => {})
      connection.quit()
    }
  }
}
