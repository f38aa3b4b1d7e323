/** After the storm: every node can serve again, and all remaining work finishes. */
import { setTimeout as pause } from 'node:timers/promises'
import type pg from 'pg'
import { type Clients, isSpokenOf } from './clients.ts'
import type { Installation } from './installation.ts'

/** A busy machine is slow to start processes and to recover. */
const readyMs = 120_000
/** By then leases and heartbeats have run out, and the carrier has given up on receipts. */
const settleMs = 150_000
/** A carrier gives up on a receipt after a minute. */
const receiptsMs = 90_000
/** An attempt to send an event takes ten seconds at most. */
const makeDueEveryMs = 5_000

export async function untilItAnswers(database: pg.Pool): Promise<boolean> {
  for (const untilMs = Date.now() + readyMs; Date.now() < untilMs; await pause(200))
    if (await database.query('select 1').catch(() => null)) return true
  return false
}

/** Returns the nodes that cannot serve although nothing is broken. */
export async function awaitReady({ apis, workers, database }: Installation): Promise<string[]> {
  if (!(await untilItAnswers(database))) return ['PostgreSQL does not come back']
  const waiting = new Set([...apis, ...workers])
  for (const untilMs = Date.now() + readyMs; waiting.size > 0 && Date.now() < untilMs; await pause(200))
    for (const node of waiting) if (await node.isReady()) waiting.delete(node)
  return [...waiting].map(({ name }) => `${name} is not ready though nothing is in the way`)
}

interface Left {
  readonly queued: number
  readonly unsent: number
  readonly unheard: number
}

/** Waits until no work is left. Later retries of events may be hours away, so they are made due. */
export async function settle(
  { database, enableEndpoints }: Installation,
  clients: Clients,
): Promise<string[]> {
  const spokenOf = clients.signs.filter(isSpokenOf).flatMap(({ otpIds }) => [...otpIds])
  const startedAtMs = Date.now()
  let dueAtMs = 0
  for (;;) {
    await enableEndpoints()
    if (Date.now() - dueAtMs > makeDueEveryMs) {
      await makeDue(database)
      dueAtMs = Date.now()
    }
    const left = await countLeft(database, spokenOf)
    const isQuiet = left.queued === 0 && left.unsent === 0
    const elapsedMs = Date.now() - startedAtMs
    // Whether a receipt was recorded is checked for each message.
    if (isQuiet && (left.unheard === 0 || elapsedMs > receiptsMs)) return []
    if (elapsedMs > settleMs)
      return [`stuck: ${left.queued} messages and ${left.unsent} events have not come to their end`]
    await pause(500)
  }
}

async function makeDue(database: pg.Pool): Promise<void> {
  await database.query(
    `update events set next_attempt_at = now() where status = 'waiting' and next_attempt_at > now() + interval '2 seconds'`,
  )
}

async function countLeft(database: pg.Pool, spokenOf: readonly string[]): Promise<Left> {
  const { rows } = await database.query<Left>(
    `select (select count(*)::integer from deliveries where status = 'queued') as queued,
            (select count(*)::integer from events where status in ('waiting', 'sending')) as unsent,
            (select count(*)::integer from deliveries where status = 'sent' and error_code is null and otp_id = any($1)) as unheard`,
    [spokenOf],
  )
  const [left] = rows
  if (!left) throw new Error('the tables could not be read')
  return left
}
