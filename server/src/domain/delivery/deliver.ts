/** Offers one message to the accounts that may take it, one after the other, until one does. */
import type { ProviderError } from '../../channels/channel.ts'
import { carriersAfter, isOfSimulator, type Provider, type Providers } from '../routing/index.ts'
import type { App, Directory } from '../tenancy/index.ts'
import { type AttemptDependencies, attempt, traceAttempt } from './attempt.ts'
import { type ComposeDependencies, compose } from './compose.ts'
import { type ConcludeDependencies, giveUp, isConcluded, leaveUncertain, postpone } from './conclude.ts'
import { type DueDelivery, pauseSeconds } from './delivery.ts'
import { maskedText } from './masked-text.ts'
import { Round } from './round.ts'
import type { Slot } from './slots.ts'

export interface DeliverDependencies extends ComposeDependencies, AttemptDependencies, ConcludeDependencies {
  readonly directory: Directory
  readonly providers: Providers
}

const staleMessages = {
  expired: 'The code expired before a provider took the message.',
  superseded: 'A newer code has replaced this one.',
  finished: 'The verification was finished before the message left.',
} as const

/** A delivery that this worker holds. */
export interface HeldDelivery {
  readonly slot: Slot
  /** Whether an attempt that begins now ends before anybody else may take the delivery. */
  readonly isCovered: () => boolean
  /** Reads the delivery again if the last read was a while ago; null if somebody else has it or has finished it. */
  readonly refresh: (due: DueDelivery) => Promise<DueDelivery | null>
}

export async function deliver(
  dependencies: DeliverDependencies,
  due: DueDelivery,
  held: HeldDelivery,
): Promise<void> {
  const round = new Round(due)
  // Two processes have died with this message. Nobody knows whether it left, so it is not tried again.
  if (due.takenOver === 'again') return leaveUncertain(dependencies, round)
  const app = await dependencies.directory.findApp(due.appId)
  const problem = problemOf(due, app)
  if (problem || !app) return giveUp(dependencies, round, problem ?? erased)
  return askInTurn(dependencies, round, app, held)
}

const erased = { code: 'erased', message: 'The recipient has been erased.' }

/** Why the message is of no use any more. An erasure first empties `replyTo`. */
function problemOf(
  { staleReason, recipient, replyTo }: DueDelivery,
  app: App | undefined,
): ProviderError | null {
  if (staleReason) return { code: staleReason, message: staleMessages[staleReason] }
  return app && recipient && replyTo?.length !== 0 ? null : erased
}

/** Asks one account after the other, each once; if some may take the message later, it waits for the next round. */
async function askInTurn(
  dependencies: DeliverDependencies,
  round: Round,
  app: App,
  { slot, isCovered, refresh }: HeldDelivery,
): Promise<void> {
  const { circuits, clock } = dependencies
  for (;;) {
    const provider = choose(dependencies, round)
    if (!provider) return endRound(dependencies, round)
    const { providerId } = provider
    // Too many messages wait for the account, or the lease is too short: the delivery goes back to the table.
    if (!(await slot.enter(providerId)) || !isCovered()) return postpone(dependencies, round, providerId, 0)
    // The account may have gone down while the message waited for its turn.
    if (choose(dependencies, round)?.providerId !== providerId) {
      slot.leave('unasked')
      continue
    }
    const due = await refresh(round.due)
    if (!due) return
    round.due = due
    // Reading took time as well, so the lease is checked once more.
    if (!isCovered()) return postpone(dependencies, round, providerId, 0)
    const { recipient } = due
    const problem = problemOf(due, app)
    if (problem || !recipient) return giveUp(dependencies, round, problem ?? erased)
    circuits.begin(providerId, clock.nowMs())
    round.ask(providerId)
    const message = compose(dependencies, due, { app, recipient }, provider)
    round.sentText = maskedText(due.channel, message)
    const startedAtMs = performance.now()
    const outcome = await attempt(dependencies, provider, slot, message)
    traceAttempt(dependencies, round.due, provider, outcome, performance.now() - startedAtMs)
    if (await isConcluded(dependencies, round, provider, outcome)) return
  }
}

const candidatesFor = ({ providers }: DeliverDependencies, { due, tried }: Round): readonly Provider[] =>
  carriersAfter(providers, due.providerId, [due.companyId, due.channel, due.country]).filter(
    (provider) => !tried.includes(provider.providerId),
  )

/** The account that the message waits for, or the next in line; one that is down is asked only if no other is left. */
function choose(dependencies: DeliverDependencies, round: Round): Provider | undefined {
  const { circuits, clock } = dependencies
  const left = candidatesFor(dependencies, round).filter(({ providerId }) => !round.hasAsked(providerId))
  const up = left.filter(
    ({ providerId, account }) =>
      !circuits.isOpen(providerId, clock.nowMs()) && account.connection?.().kind !== 'down',
  )
  const wanted = up.find(({ providerId }) => providerId === round.due.providerId)
  // If an account might take the message later, none that is down is asked.
  return wanted ?? up[0] ?? (round.isWorthWaiting ? undefined : left[0])
}

const noProvider = { code: 'no_provider', message: 'No account of this channel is left to try.' }
/** The message fails at once, so that the caller learns of it while another message still helps. */
const simulatorOff = {
  code: 'simulator_off',
  message: 'It was accepted for the simulator, which does not run here. No real account may carry it.',
}

function endRound(dependencies: DeliverDependencies, round: Round): Promise<void> {
  const { due, error } = round
  const candidates = candidatesFor(dependencies, round)
  const [first] = candidates
  if (!first) {
    if (error && round.isBegun) return giveUp(dependencies, round, error, round.isUnreachable)
    round.error = isOfSimulator(due.providerId) ? simulatorOff : noProvider
    if (round.tried.length > 0 || round.error === simulatorOff)
      return giveUp(dependencies, round, round.error)
    return postpone(dependencies, round, due.providerId, pauseSeconds(due.attempt))
  }
  const rounds = Math.ceil((due.attempt + round.further) / candidates.length)
  return postpone(dependencies, round, first.providerId, Math.max(pauseSeconds(rounds), round.pauseSeconds))
}
