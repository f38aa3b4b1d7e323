/** What must be true in the end, seen from outside: by the callers, the carrier, the endpoint, and the tables. */
import { setTimeout as pause } from 'node:timers/promises'
import { type Clients, messagesTo, type Sign } from './clients.ts'
import { type Installation, recipientLimit } from './installation.ts'

/** Leases, signs of life and the carrier's own patience with receipts have run out by then. */
const settleMs = 150_000

export interface Verdict {
  readonly violations: readonly string[]
  readonly counts: Readonly<Record<string, number>>
}

interface Row {
  readonly otp_id: string
  readonly status: string
  readonly attempts: number
  readonly delivery: string
  readonly error_code: string | null
  readonly is_taken_over: boolean
  readonly entries: string
  readonly price: boolean
  readonly events: string
}

/** Whether the carrier says what became of it. */
const isSpokenOf = ({ outcome }: Sign) => outcome === null || outcome === 'duplicate'

/** Nothing may be left to do; what waits for a later retry of an event is made due, for that may be hours away. */
export async function settle(
  { database, enableEndpoints }: Installation,
  clients: Clients,
): Promise<string[]> {
  const spokenOf = clients.signs.filter(isSpokenOf).flatMap(({ otpIds }) => [...otpIds])
  const untilMs = Date.now() + settleMs
  for (;;) {
    await enableEndpoints()
    await database.query(
      `update events set next_attempt_at = now() where status = 'waiting' and next_attempt_at > now() + interval '2 seconds'`,
    )
    const { rows } = await database.query<{ queued: number; unsent: number; unheard: number }>(
      `select (select count(*)::integer from deliveries where status = 'queued') as queued,
              (select count(*)::integer from events where status in ('waiting', 'sending')) as unsent,
              (select count(*)::integer from deliveries where status = 'sent' and error_code is null and otp_id = any($1)) as unheard`,
      [spokenOf],
    )
    const [left] = rows
    if (!left) return ['the tables could not be read']
    const isQuiet = left.queued === 0 && left.unsent === 0
    // A carrier gives a receipt up after a minute; whether it came through is looked at for each message.
    if (isQuiet && (left.unheard === 0 || Date.now() > untilMs - settleMs / 2)) return []
    if (Date.now() > untilMs)
      return [`stuck: ${left.queued} messages and ${left.unsent} events have not come to their end`]
    await pause(500)
  }
}

export async function judge(
  { database, simulator, endpoint }: Installation,
  clients: Clients,
): Promise<Verdict> {
  const violations = [...clients.answers.violations]
  const { rows } = await database.query<Row>(`
    select v.otp_id, v.status, v.attempts::integer as attempts, d.status as delivery, d.error_code,
           d.taken_over_at is not null as is_taken_over, d.price_micros > 0 as price,
           array_to_string(array(select kind from ledger l where l.delivery_id = d.delivery_id order by kind), ' ') as entries,
           array_to_string(array(select type from events e where e.otp_id = v.otp_id and e.type like 'otp.%'), ' ') as events
      from verifications v join deliveries d using (company_id, app_id, otp_id)`)
  const byId = new Map(rows.map((row) => [row.otp_id, row]))
  const counts = {
    sends: clients.signs.length,
    accepted: 0,
    approved: rows.filter(({ status }) => status === 'approved').length,
    'handed over twice, and said so': 0,
    uncertain: rows.filter(({ error_code }) => error_code !== null).length,
    'events sent more than once': 0,
    events: 0,
  }
  for (const sign of clients.signs) {
    const messages = (await messagesTo(simulator.url, sign.recipient)).length
    const [otpId] = sign.otpIds
    const row = otpId === undefined ? undefined : byId.get(otpId)
    if (otpId !== undefined) counts.accepted++
    if (messages > 1) counts['handed over twice, and said so']++
    violations.push(
      ...problemsOf(sign, row, messages).map((problem) => `${sign.recipient} (${sign.channel}): ${problem}`),
    )
  }
  violations.push(...(await moneyProblems(database)))
  const events = await database.query<{ event_id: string; body: string; status: string }>(
    'select event_id, body, status from events',
  )
  counts.events = events.rows.length
  for (const { event_id, body, status } of events.rows) {
    const came = endpoint.bodies.get(event_id) ?? []
    if (status !== 'delivered') violations.push(`event ${event_id} is ${status}`)
    if (came.length === 0) violations.push(`event ${event_id} never came`)
    if (came.some((each) => each !== body)) violations.push(`event ${event_id} came with other bytes`)
    if (came.length > 1) counts['events sent more than once']++
  }
  return { violations, counts }
}

function problemsOf(sign: Sign, row: Row | undefined, messages: number): string[] {
  const problems: string[] = []
  const must = (isTrue: boolean, problem: string) => {
    if (!isTrue) problems.push(problem)
  }
  must(sign.otpIds.size <= 1, 'one idempotency key has two verifications')
  must(sign.refusals.length <= recipientLimit, `was refused: ${sign.refusals.join()}`)
  if (sign.otpIds.size === 0) return problems
  if (!row) return ['an accepted send is lost', ...problems]
  must(row.delivery !== 'queued', 'its message is stuck')
  must(
    messages <= 1 || (messages === 2 && row.is_taken_over),
    `its message was handed over ${messages} times, taken over: ${row.is_taken_over}`,
  )
  must(row.delivery !== 'failed' || messages === 0, 'its message is said to have failed, and came')
  if (row.error_code === null && row.delivery !== 'failed' && sign.outcome !== 'fail')
    must(messages > 0, `its message is said to be ${row.delivery}, and never came`)
  // A message whose id the carrier could not tell us any more is `uncertain`: over SMPP its receipt names nothing we know.
  if (isSpokenOf(sign) && messages > 0 && row.error_code === null)
    must(row.delivery === 'delivered', `its receipt is lost: ${row.delivery}, ${row.error_code}`)
  if (row.price)
    must(
      row.entries === (row.delivery === 'failed' ? 'reserve return' : 'capture reserve') ||
        row.entries === 'capture reserve return',
      `its money: ${row.entries}`,
    )
  must(
    row.attempts >= sign.wrongJudged && row.attempts <= sign.wrongSent + sign.rightSent,
    `attempts: ${row.attempts}`,
  )
  must(sign.rightJudged === 0 || row.status === 'approved', 'its approval is lost')
  must(row.status !== 'approved' || sign.rightSent > 0, 'it was approved by nobody')
  must(
    row.events === (row.status === 'approved' ? 'otp.approved' : row.status === 'failed' ? 'otp.failed' : ''),
    `it is ${row.status} with the events "${row.events}"`,
  )
  return problems
}

async function moneyProblems(database: Installation['database']): Promise<string[]> {
  const { rows } = await database.query<{ balance: string; booked: string }>(
    `select balance_micros::text as balance, (select sum(amount_micros)::text from ledger l where l.company_id = c.company_id) as booked
       from companies c where metered`,
  )
  return rows.flatMap(({ balance, booked }) =>
    balance === booked ? [] : [`the balance is ${balance}, and the ledger adds up to ${booked}`],
  )
}
