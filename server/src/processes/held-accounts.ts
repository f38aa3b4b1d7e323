/**
 * Accounts that have one connection however many processes there are: a carrier counts SMPP binds, and an account's
 * window is for one connection. The first process opens such accounts; the others hand their messages to it.
 */
import type { AccountContext, OutgoingMessage, ProviderAccount, SendOutcome } from '../channels/channel.ts'
import { type AnyKind, type Kinds, providerKinds } from '../channels/index.ts'
import { attemptDeadlineMs } from '../domain/delivery/index.ts'
import type { HandedOn } from './questions.ts'

const heldKinds: readonly AnyKind[] = [providerKinds.smpp]

const replaceHeld = (open: (kind: AnyKind) => AnyKind['open']): Kinds => {
  const entries = Object.entries(providerKinds).map(([name, kind]): [string, AnyKind] => [
    name,
    heldKinds.includes(kind) ? { ...kind, open: open(kind) } : kind,
  ])
  return { ...providerKinds, ...Object.fromEntries(entries) }
}

export const notConnected: SendOutcome = {
  kind: 'retry',
  error: { code: 'not_connected', message: 'The process that holds the connection is not there.' },
  afterSeconds: null,
}
export const unknownEnd: SendOutcome = {
  kind: 'uncertain',
  error: { code: 'uncertain', message: 'The process that holds the connection ended in between.' },
}

/** For the first process: accounts are opened as usual, and are found by id for messages of the other processes. */
export class HeldAccounts {
  readonly #accounts = new Map<string, ProviderAccount>()

  readonly kinds: Kinds = replaceHeld((kind) => (settings, context) => this.#keep(kind, settings, context))

  readonly handOver = ({ providerId, message }: HandedOn): Promise<SendOutcome> => {
    const account = this.#accounts.get(providerId)
    return account
      ? account.send(message, AbortSignal.timeout(attemptDeadlineMs))
      : Promise.resolve(notConnected)
  }

  #keep(kind: AnyKind, settings: Record<string, unknown>, context: AccountContext): ProviderAccount {
    const account = kind.open(settings, context)
    this.#accounts.set(context.providerId, account)
    return {
      ...account,
      close: () => {
        // A changed account is opened again before the old one closes.
        if (this.#accounts.get(context.providerId) === account) this.#accounts.delete(context.providerId)
        return account.close()
      },
    }
  }
}

/** For the other processes: accounts that pass their messages to the first process, which also gets the receipts. */
export const kindsElsewhere = (handOver: (handed: HandedOn) => Promise<SendOutcome>): Kinds =>
  replaceHeld(() => (_settings, { providerId }) => ({
    send: (message, signal) => sendElsewhere(handOver, { providerId, message }, signal),
    close: async () => {},
  }))

/**
 * If the whole machine stood still, the first process has yet to read the carrier's answer and pass it on when the
 * deadline is over here.
 */
const forwardingMs = 1_000

/** Never rejects. Without an answer in time, it is not known whether the message left. */
function sendElsewhere(
  handOver: (handed: HandedOn) => Promise<SendOutcome>,
  handed: { readonly providerId: string; readonly message: OutgoingMessage },
  signal: AbortSignal,
): Promise<SendOutcome> {
  return new Promise((resolve) => {
    const giveUp = () => setTimeout(resolve, forwardingMs, unknownEnd)
    signal.addEventListener('abort', giveUp, { once: true })
    handOver(handed).then(resolve, () => resolve(unknownEnd))
  })
}
