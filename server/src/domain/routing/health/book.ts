/** What this node has seen of accounts since its last write. Kept in memory, so that no message waits for it. */
import type { Connection, ProviderError, SendOutcome } from '../../../channels/channel.ts'
import { type Owner, operatorOwner } from '../../../platform/tenant.ts'
import type { Provider } from '../providers.ts'
import { quietMs } from './health.ts'

/** An account in the database, as it is set up now; built-in accounts are not listed, and nothing is noted of them. */
export interface AccountRef {
  readonly ownerId: Owner
  readonly providerId: string
  readonly revision: number
}

export interface Noted extends AccountRef {
  sent: number
  failed: number
  accepted: number
  acceptMs: number
  delivered: number
  timed: number
  deliverMs: number
  /** Errors since the last answer, and whether there was an answer. */
  errors: number
  hasAnswered: boolean
  /** Whether the answer proves that the account works: one that receipts can blame may take what it cannot send. */
  isProven: boolean
  isBroken: boolean
  lastError: ProviderError | null
  link: Connection['kind'] | null
  /** Whether the connection changed since this node last wrote it. */
  isLinkNew: boolean
}

export const refOf = ({ providerId, companyId, revision }: Provider): AccountRef | null =>
  revision === undefined ? null : { ownerId: companyId ?? operatorOwner, providerId, revision }

const fresh = (account: AccountRef): Noted => ({
  ...account,
  sent: 0,
  failed: 0,
  accepted: 0,
  acceptMs: 0,
  delivered: 0,
  timed: 0,
  deliverMs: 0,
  errors: 0,
  hasAnswered: false,
  isProven: false,
  isBroken: false,
  lastError: null,
  link: null,
  isLinkNew: false,
})

/** Has at most as many entries as there are accounts. */
export class HealthBook {
  #noted = new Map<string, Noted>()

  attempted(provider: Provider, outcome: SendOutcome, latencyMs: number): void {
    const noted = this.#of(provider)
    if (!noted) return
    if (outcome.kind === 'accepted') {
      noted.sent++
      noted.accepted++
      noted.acceptMs += latencyMs
    } else if (outcome.kind !== 'unreachable') {
      noted.failed++
      noted.lastError = outcome.error
    }
    if (outcome.kind === 'accepted' || outcome.kind === 'unreachable' || outcome.kind === 'refused')
      answer(noted, !provider.account.faultOf)
    else err(noted, outcome.kind === 'broken')
  }

  /** `ms` is counted from when the account took the message; null if that is not known. */
  received(provider: Provider | undefined, isDelivered: boolean, ms: number | null): void {
    const noted = provider && this.#of(provider)
    if (!noted) return
    if (!isDelivered) noted.failed++
    else {
      noted.delivered++
      if (ms !== null) {
        noted.timed++
        noted.deliverMs += ms
        // A message that the account took long ago says nothing about its state now.
        if (ms < quietMs && provider.account.faultOf) answer(noted, true)
      }
    }
  }

  /** Notes that a receipt reports an error of the account itself, as its answer would have. */
  blamed(provider: Provider | undefined, error: ProviderError, isBroken: boolean): void {
    const noted = provider && this.#of(provider)
    if (!noted) return
    noted.lastError = error
    err(noted, isBroken)
  }

  checked(account: AccountRef, error: ProviderError | null): void {
    const noted = this.#entry(account)
    if (error) {
      noted.lastError = error
      err(noted, false)
    } else answer(noted, true)
  }

  connected(account: AccountRef, connection: Connection, isLinkNew: boolean): void {
    const noted = this.#entry(account)
    noted.link = connection.kind
    noted.isLinkNew ||= isLinkNew
    if (connection.kind === 'down') noted.lastError = connection.error
  }

  /** Returns all that was noted since the last call. */
  take(): readonly Noted[] {
    const taken = [...this.#noted.values()]
    this.#noted = new Map()
    return taken
  }

  /** Counts what could not be written together with what came since. */
  putBack(taken: readonly Noted[]): void {
    for (const old of taken) {
      const noted = this.#entry(old)
      for (const count of counts) noted[count] += old[count]
      if (!noted.hasAnswered) {
        noted.errors += old.errors
        noted.isBroken ||= old.isBroken
        noted.hasAnswered = old.hasAnswered
        noted.isProven = old.isProven
      }
      noted.lastError ??= old.lastError
      noted.link ??= old.link
      noted.isLinkNew ||= old.isLinkNew
    }
  }

  #of(provider: Provider): Noted | null {
    const known = this.#noted.get(provider.providerId)
    if (known && known.revision === provider.revision) return known
    const account = refOf(provider)
    return account && this.#entry(account)
  }

  #entry(account: AccountRef): Noted {
    const known = this.#noted.get(account.providerId)
    // What happened under earlier settings says nothing about the current ones.
    if (known && known.revision >= account.revision) return known
    const { ownerId, providerId, revision } = account
    const noted = fresh({ ownerId, providerId, revision })
    this.#noted.set(providerId, noted)
    return noted
  }
}

const counts = ['sent', 'failed', 'accepted', 'acceptMs', 'delivered', 'timed', 'deliverMs'] as const

function answer(noted: Noted, isProof: boolean): void {
  if (noted.isBroken && !isProof) return
  noted.hasAnswered = true
  noted.isProven ||= isProof
  noted.errors = 0
  noted.isBroken = false
}

function err(noted: Noted, isBroken: boolean): void {
  noted.errors++
  noted.isBroken ||= isBroken
}
