/** The driver's client, which also does what `channel_binding` of the address asks for. */
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

export class DatabaseClient extends pg.Client {
  constructor(config: pg.ClientConfig = {}) {
    const binding = parametersOf(config.connectionString ?? '').get('channel_binding') ?? 'disable'
    super({ ...config, enableChannelBinding: binding !== 'disable' })
    if (binding === 'require') this.#insistOnBinding()
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
