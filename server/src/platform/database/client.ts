/**
 * The driver's client, which also does what `channel_binding` of the address asks for, and whose time limit for answers
 * does not count time during which this process stood still.
 */
import pg from 'pg'
import { parametersOf } from './query.ts'

const bindings: readonly string[] = ['disable', 'prefer', 'require']
const boundMechanism = 'SCRAM-SHA-256-PLUS'

/** What is wrong with it, as text that follows the variable's name; null if nothing. */
export function bindingProblemOf(url: string): string | null {
  const parameters = parametersOf(url)
  const binding = parameters.get('channel_binding')
  if (binding === null) return null
  if (!bindings.includes(binding))
    return `: channel_binding must be one of ${bindings.join(', ')}, not "${binding}".`
  const mode = parameters.get('sslmode') ?? (parameters.get('sslrootcert') ? 'verify-full' : 'disable')
  return binding === 'require' && mode === 'disable'
    ? ': channel_binding=require needs encryption: set sslmode=require, or better verify-full.'
    : null
}

/** The server has let us in, or wants to, in a way that does not prove that nobody is between. */
class NoBindingError extends Error {
  readonly code = 'NO_CHANNEL_BINDING'

  constructor() {
    super('the server does not offer channel binding')
  }
}

/**
 * The last part of the time limit. It begins when the rest is over, so that an answer that came while the process stood
 * still is read before the limit ends: a commit that succeeded must not be reported as failed.
 */
const lastPartMs = 1_000

export class DatabaseClient extends pg.Client {
  constructor({ query_timeout: answerMs, ...config }: pg.ClientConfig = {}) {
    const binding = parametersOf(config.connectionString ?? '').get('channel_binding') ?? 'disable'
    super({ ...config, enableChannelBinding: binding !== 'disable' })
    if (binding === 'require') this.#insistOnBinding()
    if (answerMs) Object.assign(this, { query: this.#limitAnswers(this.query.bind(this), answerMs) })
  }

  /** Takes a callback or returns a promise, as the driver's own method does. */
  #limitAnswers(query: (...given: unknown[]) => unknown, answerMs: number) {
    return (...given: unknown[]): unknown => {
      const clear = this.#startLimit(answerMs)
      const callback = given.at(-1)
      if (typeof callback !== 'function') {
        const answer = query(...given)
        if (answer instanceof Promise) answer.then(clear, clear)
        return answer
      }
      return query(...given.slice(0, -1), (...ended: unknown[]) => {
        clear()
        callback(...ended)
      })
    }
  }

  /** Returns a function that ends the limit. Statements behind one without an answer get none either. */
  #startLimit(answerMs: number): () => void {
    const fail = () => this.connection.stream.destroy(new Error('Query read timeout'))
    let timer = setTimeout(() => {
      timer = setTimeout(fail, lastPartMs)
    }, answerMs - lastPartMs)
    return () => clearTimeout(timer)
  }

  /**
   * The driver only prefers it. These listeners come before its own, so that nothing that proves the password is sent
   * to a server that asks for it in another way, or asks for none.
   */
  #insistOnBinding(): void {
    const { connection } = this
    let isProven = false
    const refuse = () => connection.emit('error', new NoBindingError())
    connection.on('error', () => {
      connection.stream.destroy()
      // What came in the same packet may say that the connection is ready.
      connection.removeAllListeners('readyForQuery')
    })
    connection.on('authenticationCleartextPassword', refuse)
    connection.on('authenticationMD5Password', refuse)
    connection.on('authenticationSASL', ({ mechanisms }: { readonly mechanisms: readonly string[] }) => {
      if (!mechanisms.includes(boundMechanism)) refuse()
    })
    // Only a server that knows the password can send this; the driver checks it.
    connection.on('authenticationSASLFinal', () => {
      isProven = true
    })
    connection.on('authenticationOk', () => {
      if (!isProven) refuse()
    })
  }
}
