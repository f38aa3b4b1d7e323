/** Tries an account: whether it connects, and whether it takes a message to a number that somebody types. */
import { AppError } from '@countersign/contract'
import type { OutgoingMessage, ProviderError, SendOutcome } from '../../channels/channel.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Database } from '../../platform/database.ts'
import { newId } from '../../platform/ids.ts'
import { drawBytes } from '../../platform/random.ts'
import type { Owner } from '../../platform/tenant.ts'
import { noSuch } from '../answers/index.ts'
import { readRecipient } from '../guard/index.ts'
import { type HealthBook, refOf } from './health/book.ts'
import { readStates } from './health/read-state.ts'
import { takeTest } from './health/store.ts'
import { findProvider, type StoredProvider } from './provider-store.ts'
import type { Provider } from './providers.ts'
import type { Registry } from './registry.ts'

export interface TryDependencies {
  readonly database: Database
  readonly clock: Clock
  readonly registry: Pick<Registry, 'find' | 'openApart' | 'isPassive'>
  readonly health: Pick<HealthBook, 'attempted' | 'checked'>
  readonly callbackUrl: (providerId: string) => string
}

interface Step {
  readonly name: 'settings' | 'connect' | 'send'
  readonly ok: boolean
  readonly detail: string
  readonly ms: number
}

export interface Trial {
  readonly steps: readonly Step[]
  /** The provider's own id of the message, if it has one. */
  readonly messageId: string | null
}

const connectMs = 8_000
const sendMs = 15_000
const pollMs = 250
/** Tests are bounded, since a test message costs what any message costs, and reaches whoever has the number. */
const tests = { most: 10, windowSeconds: 600 }

/** Connects without sending anything. */
export async function checkAccount(
  dependencies: TryDependencies,
  ownerId: Owner,
  providerId: string,
): Promise<Trial> {
  const row = await getRow(dependencies, ownerId, providerId)
  return withAccount(dependencies, row, async (provider, steps) => {
    await connect(dependencies, provider, steps)
    return null
  })
}

export async function testAccount(
  dependencies: TryDependencies,
  ownerId: Owner,
  providerId: string,
  written: { readonly to: string; readonly country: string | null },
): Promise<Trial> {
  const row = await getRow(dependencies, ownerId, providerId)
  const recipient = recipientOf(row, written)
  if (!(await takeTest(dependencies.database.of(ownerId), providerId, tests))) {
    const message = `An account can be tested ${tests.most} times in ${tests.windowSeconds / 60} minutes.`
    throw new AppError('RateLimitExceededError', message, {
      scope: 'account',
      retry_after: tests.windowSeconds,
    })
  }
  return withAccount(dependencies, row, async (provider, steps) => {
    if (!(await connect(dependencies, provider, steps))) return null
    return send(dependencies, provider, steps, recipient)
  })
}

async function getRow(
  { database }: TryDependencies,
  ownerId: Owner,
  providerId: string,
): Promise<StoredProvider> {
  const row = await findProvider(database.of(ownerId), providerId)
  if (!row) throw noSuch('provider')
  return row
}

function recipientOf(
  { channel }: StoredProvider,
  { to, country }: { readonly to: string; readonly country: string | null },
): string {
  const recipient = readRecipient(to, country)
  const wanted = channel === 'email' ? 'email' : 'phone'
  if (recipient?.type === wanted) return recipient.address
  const what =
    wanted === 'email' ? 'an email address' : 'a phone number; without its calling code it needs country'
  throw new AppError('InvalidRecipientError', `This account takes ${what}.`)
}

/** Uses the account that is in use here; one that is switched off, or used only on other nodes, is opened for this. */
async function withAccount(
  { registry }: TryDependencies,
  row: StoredProvider,
  run: (provider: Provider, steps: Step[]) => Promise<string | null>,
): Promise<Trial> {
  const steps: Step[] = []
  const inUse = registry.isPassive ? undefined : registry.find(row.providerId)
  if (inUse) return { messageId: await run(inUse, steps), steps }
  const opened = await timed(steps, 'settings', async () => open(registry, row))
  if (!opened) return { steps, messageId: null }
  try {
    return { messageId: await run(opened, steps), steps }
  } finally {
    await opened.account.close()
  }
}

function open(registry: TryDependencies['registry'], row: StoredProvider) {
  try {
    return { value: registry.openApart(row), detail: 'The settings and credentials can be used.' }
  } catch {
    return { value: null, detail: 'The account cannot be opened with these settings and credentials.' }
  }
}

async function timed<Value>(
  steps: Step[],
  name: Step['name'],
  run: () => Promise<{ readonly value: Value | null; readonly detail: string }>,
): Promise<Value | null> {
  const startedAtMs = performance.now()
  const { value, detail } = await run()
  steps.push({ name, ok: value !== null, detail, ms: Math.round(performance.now() - startedAtMs) })
  return value
}

const sayError = ({ code, message }: ProviderError) => `${message} (${code})`

async function connect(
  dependencies: TryDependencies,
  provider: Provider,
  steps: Step[],
): Promise<true | null> {
  const { account } = provider
  return timed(steps, 'connect', async () => {
    if (!account.check) return findOutElsewhere(dependencies, provider)
    const error = await account.check(AbortSignal.timeout(connectMs))
    const ref = refOf(provider)
    if (ref) dependencies.health.checked(ref, error)
    return error ? { value: null, detail: sayError(error) } : { value: true, detail: 'Connected.' }
  })
}

/** Another process holds the connection, and writes its state within a second. */
async function findOutElsewhere({ database }: TryDependencies, provider: Provider) {
  const ref = refOf(provider)
  const untilMs = performance.now() + connectMs
  while (ref && performance.now() < untilMs) {
    const { status, lastError } = (await readStates(database, ref.ownerId))(ref)
    if (status === 'up') return { value: true as const, detail: 'Connected.' }
    if (status === 'failing')
      return { value: null, detail: lastError ? sayError(lastError) : 'Not connected.' }
    await new Promise((resolve) => setTimeout(resolve, pollMs))
  }
  return { value: null, detail: 'Nobody has connected yet. Look at its state in a moment.' }
}

async function send(
  { clock, health, callbackUrl }: TryDependencies,
  provider: Provider,
  steps: Step[],
  recipient: string,
): Promise<string | null> {
  const message = composeTest(recipient, clock.nowMs(), callbackUrl(provider.providerId))
  const startedAtMs = performance.now()
  const outcome = await provider.account.send(message, AbortSignal.timeout(sendMs))
  const ms = performance.now() - startedAtMs
  health.attempted(provider, outcome, ms)
  steps.push({
    name: 'send',
    ok: outcome.kind === 'accepted',
    detail: sayOutcome(outcome),
    ms: Math.round(ms),
  })
  return outcome.kind === 'accepted' ? outcome.messageId : null
}

function sayOutcome(outcome: SendOutcome): string {
  if (outcome.kind === 'accepted') return 'The provider has taken the message.'
  if (outcome.kind === 'uncertain') return `It may have left: ${sayError(outcome.error)}`
  return sayError(outcome.error)
}

/** The code belongs to nobody: providers with their own templates need some digits. */
function composeTest(recipient: string, nowMs: number, callbackUrl: string): OutgoingMessage {
  const code = String(drawBytes(4).readUInt32BE() % 1_000_000).padStart(6, '0')
  const text = `This is a test message from Countersign. The code ${code} cannot be used anywhere.`
  return {
    deliveryId: newId('delivery', nowMs),
    recipient,
    code,
    text,
    subject: 'Test message from Countersign',
    html: `<p>${text}</p>`,
    locale: 'en',
    ttlSeconds: tests.windowSeconds,
    nowMs,
    inReplyTo: null,
    callbackUrl,
  }
}
