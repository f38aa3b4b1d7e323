/** What must be true in the end, as seen by the callers, the carrier, the endpoint and the tables. */
import { setTimeout as pause } from 'node:timers/promises'
import { type Clients, isSpokenOf, type Message, messagesTo, type Sign } from './clients.ts'
import { type Installation, recipientLimit } from './installation.ts'
import { eventProblems } from './model-events.ts'
import { settle } from './settle.ts'

/** By then everything that is only late has finished, such as a receipt that came after everything else. */
const lateMs = 60_000

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
  readonly delivery_events: string
}

/**
 * Checked again while something is wrong: a receipt may come last, and its event then takes a moment. A real violation
 * does not go away by waiting. The balance is compared with the ledger at each check.
 */
export async function judge(installation: Installation, clients: Clients): Promise<Verdict> {
  const money = new Set<string>()
  for (const untilMs = Date.now() + lateMs; ; await pause(1_000)) {
    for (const problem of await moneyProblems(installation.database)) money.add(problem)
    const { violations, counts } = await look(installation, clients)
    if (violations.length === 0 || Date.now() > untilMs)
      return { violations: [...clients.answers.violations, ...money, ...violations], counts }
    await settle(installation, clients)
  }
}

async function look(installation: Installation, clients: Clients): Promise<Verdict> {
  const { simulator } = installation
  const rows = await readRows(installation)
  const byId = new Map(rows.map((row) => [row.otp_id, row]))
  const people = groupByRecipient(clients.signs)
  const violations: string[] = []
  let doubled = 0
  let unheard = 0
  for (const [recipient, signs] of people) {
    const messages = await messagesTo(simulator.url, recipient)
    const found = signs.flatMap(({ otpIds }) => [...otpIds]).flatMap((id) => byId.get(id) ?? [])
    doubled += Math.max(0, messages.length - found.length)
    const problems = [
      ...signs.flatMap((sign) => callProblems(sign, byId)),
      ...limitProblems(signs),
      ...found.flatMap(rowProblems),
      ...handOverProblems(installation, signs, found, messages),
    ]
    unheard += found.filter((row) => isUnheard(signs, row, messages)).length
    violations.push(...problems.map((problem) => `${recipient} (${signs[0]?.channel}): ${problem}`))
  }
  // A receipt that the carrier gave up on was never acknowledged.
  if (unheard > simulator.givenUp())
    violations.push(`${unheard} receipts are lost, and the carrier gave up ${simulator.givenUp()}`)
  const known = new Set(clients.signs.flatMap(({ otpIds }) => [...otpIds]))
  const unknown = rows.filter(({ otp_id }) => !known.has(otp_id)).length
  if (unknown > 0) violations.push(`${unknown} verifications are there that no caller was told of`)
  const events = await eventProblems(installation)
  const counts = {
    sends: clients.signs.length,
    accepted: known.size,
    'refused by the limit': clients.signs.filter(({ refusals }) => refusals.length > 0).length,
    approved: rows.filter(({ status }) => status === 'approved').length,
    failed: rows.filter(({ delivery }) => delivery === 'failed').length,
    uncertain: rows.filter(({ error_code }) => error_code === 'uncertain').length,
    'taken over': rows.filter(({ is_taken_over }) => is_taken_over).length,
    'handed over twice, and said so': doubled,
    'receipts that the carrier gave up': simulator.givenUp(),
    'messages without the receipt that they should have': unheard,
    ...events.counts,
  }
  return { violations: [...violations, ...events.violations], counts }
}

function groupByRecipient(signs: readonly Sign[]): Map<string, Sign[]> {
  const people = new Map<string, Sign[]>()
  for (const sign of signs) people.set(sign.recipient, [...(people.get(sign.recipient) ?? []), sign])
  return people
}

async function readRows({ database }: Installation): Promise<Row[]> {
  const { rows } = await database.query<Row>(`
    select v.otp_id, v.status, v.attempts::integer as attempts, d.status as delivery, d.error_code,
           d.taken_over_at is not null as is_taken_over, d.price_micros > 0 as price,
           array_to_string(array(select kind from ledger l where l.delivery_id = d.delivery_id order by kind), ' ') as entries,
           array_to_string(array(select type from events e where e.otp_id = v.otp_id and e.type like 'otp.%'), ' ') as events,
           array_to_string(array(select type from events e where e.delivery_id = d.delivery_id), ' ') as delivery_events
      from verifications v join deliveries d using (company_id, app_id, otp_id)`)
  return rows
}

/** Compares what a caller was told with what happened. */
function callProblems(sign: Sign, byId: ReadonlyMap<string, Row>): string[] {
  const [otpId] = sign.otpIds
  const row = otpId === undefined ? undefined : byId.get(otpId)
  return failing([
    [sign.otpIds.size <= 1, 'one idempotency key has two verifications'],
    [otpId === undefined || row !== undefined, 'an accepted send is lost'],
    ...(row
      ? ([
          [
            row.attempts >= sign.wrongJudged && row.attempts <= sign.wrongSent,
            `attempts: ${row.attempts} of ${sign.wrongSent} wrong codes, ${sign.wrongJudged} of them judged`,
          ],
          [sign.rightJudged === 0 || row.status === 'approved', 'its approval is lost'],
          [row.status !== 'approved' || sign.rightSent > 0, 'it was approved by nobody'],
        ] as const)
      : []),
  ])
}

/** Exactly as many as the limit allows are accepted, and only the others are refused. */
function limitProblems(signs: readonly Sign[]): string[] {
  const accepted = signs.filter(({ otpIds }) => otpIds.size > 0).length
  const refusals = signs.flatMap((each) => each.refusals)
  return failing([
    [accepted === Math.min(signs.length, recipientLimit), `${accepted} of ${signs.length} were accepted`],
    [
      refusals.every((name) => name === 'RateLimitExceededError') &&
        (refusals.length === 0 || signs.length > recipientLimit),
      `was refused: ${refusals.join()}`,
    ],
  ])
}

/** Status, money and events must agree. */
function rowProblems(row: Row): string[] {
  const isFailed = row.delivery === 'failed'
  const isPaidBack = row.entries === 'reserve return' || row.entries === 'capture reserve return'
  const ends: Readonly<Record<string, string>> = {
    delivered: 'delivery.delivered',
    failed: 'delivery.failed',
  }
  return failing([
    [row.delivery !== 'queued', 'its message is stuck'],
    [
      !row.price || (isFailed ? isPaidBack : row.entries === 'capture reserve'),
      `it is ${row.delivery} with the entries ${row.entries}`,
    ],
    [
      row.events ===
        (row.status === 'approved' ? 'otp.approved' : row.status === 'failed' ? 'otp.failed' : ''),
      `it is ${row.status} with the events "${row.events}"`,
    ],
    [
      row.delivery_events === (ends[row.delivery] ?? ''),
      `its message is ${row.delivery} with the events "${row.delivery_events}"`,
    ],
    [!isFailed || row.error_code !== null, 'it failed and does not say why'],
  ])
}

/** Compares all messages that a person received with all that they were sent. */
function handOverProblems(
  { troubles }: Installation,
  signs: readonly Sign[],
  rows: readonly Row[],
  messages: readonly Message[],
): string[] {
  const isSeen = signs.every(({ outcome }) => outcome !== 'fail')
  const least = rows.filter(({ error_code, delivery }) => error_code === null && delivery !== 'failed').length
  const most = rows.filter(({ delivery }) => delivery !== 'failed').length
  const takenOver = rows.filter(({ is_taken_over }) => is_taken_over).length
  const times = messages.map(({ received_at }) => Date.parse(received_at)).sort((one, other) => one - other)
  const hasCause = troubles.wasThere(['death', 'silence'], times[0] ?? 0, times.at(-1) ?? 0)
  return failing([
    [!isSeen || messages.length >= least, `${least} messages are said to have left, ${messages.length} came`],
    [
      messages.length <= most + takenOver,
      `${messages.length} messages came for ${rows.length} sends (${rows.map(({ delivery }) => delivery).join()}), ${takenOver} taken over`,
    ],
    [messages.length <= rows.length || hasCause, 'it was handed over twice, and nobody had died'],
  ])
}

/**
 * Whether a carrier that sends receipts has sent none, according to the table. A message whose id the carrier could not
 * tell us is `uncertain`: over SMPP its receipt has no id that we know.
 */
function isUnheard(signs: readonly Sign[], row: Row, messages: readonly Message[]): boolean {
  return (
    signs.every(isSpokenOf) && messages.length > 0 && row.error_code === null && row.delivery !== 'delivered'
  )
}

const failing = (claims: readonly (readonly [boolean, string])[]): string[] =>
  claims.flatMap(([isTrue, problem]) => (isTrue ? [] : [problem]))

async function moneyProblems(database: Installation['database']): Promise<string[]> {
  const { rows } = await database.query<{ balance: string; booked: string }>(
    `select balance_micros::text as balance, (select sum(amount_micros)::text from ledger l where l.company_id = c.company_id) as booked
       from companies c where metered`,
  )
  return rows.flatMap(({ balance, booked }) =>
    balance === booked ? [] : [`the balance is ${balance}, and the ledger adds up to ${booked}`],
  )
}
