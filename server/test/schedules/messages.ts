/** From the acceptance of a message to what is known of it: batches, claims, leases, hand-over and what is written of it. */
import { AppError } from '@countersign/contract'
import { Circuits } from '../../src/domain/delivery/index.ts'
import { createIssue, send } from '../../src/domain/verification/index.ts'
import { startDeliveryWorker } from '../../src/worker/deliveries.ts'
import { startPulse } from '../../src/worker/pulse.ts'
import { freshPhone } from '../harness/fixtures.ts'
import { Carrier, short } from './carrier.ts'
import type { Play } from './play.ts'
import { Receipts } from './receipts.ts'
import { mostQueued, queueMessages, recipientLimit, type Stage } from './stage.ts'
import type { Wires } from './wire.ts'
import type { Actor, World } from './world.ts'

/** As long as another worker believes that one lives. */
const aliveMs = 25_000
const mostCalls = 4
/** A caller that was told to come again does so. */
const mostTries = 12

interface Call {
  readonly key: string
  readonly recipient: string
  readonly answers: string[]
  refusal: string | null
  isOver: boolean
}

type Node = { readonly actor: Actor; readonly issue: ReturnType<typeof createIssue> }

export const playMessages = (world: World, wires: Wires, stage: Stage): Promise<Play> =>
  playWith(world, wires, stage, null)

/** The same, and the carrier says what became of each message: to either node, perhaps before our own word on it. */
export const playReceipts = (world: World, wires: Wires, stage: Stage): Promise<Play> =>
  playWith(world, wires, stage, new Receipts(world, stage))

async function playWith(world: World, wires: Wires, stage: Stage, receipts: Receipts | null): Promise<Play> {
  const carrier = new Carrier(world)
  if (receipts) carrier.onTaken = receipts.speak
  const nodes: Node[] = []
  const workerOf = new Map<Actor, string>()
  /** When each was last heard of by the database. */
  const beats = new Map<string, number[]>()
  wires.onRun = (actor, { name, values }) => {
    if (name !== 'say-alive') return
    const workerId = String(values?.[0])
    workerOf.set(actor, workerId)
    beats.set(workerId, [...(beats.get(workerId) ?? []), world.nowMs])
  }
  carrier.onSend = (actor, deliveryId) =>
    world.look(async () => {
      const [row] = await stage.post.look<{ held_by: string | null; status: string; is_taken_over: boolean }>(
        'select held_by, status, taken_over_at is not null as is_taken_over from deliveries where delivery_id = $1',
        [deliveryId],
      )
      const workerId = workerOf.get(actor)
      if (row?.status === 'queued' && (workerId === undefined || row.held_by === workerId)) return
      // One that counted as dead has just said what became of it: whether it was heard of is looked at in the end.
      if (row?.status !== 'queued' && row?.is_taken_over) return
      world.violate(
        `${actor.name} hands ${short(deliveryId)} over, which it does not hold (${row?.status}, ${row?.held_by})`,
      )
    })

  const clock = { nowMs: () => world.nowMs }
  const keyring = () => stage.keyring
  async function start(name: string): Promise<void> {
    const actor = world.addActor(name)
    const database = wires.open(actor)
    const providers = carrier.providersFor(actor)
    await world.as(actor, () => {
      const log = (_: unknown, message: string) => world.tell(`${name}: "${message}"`)
      const worker = startDeliveryWorker({
        database,
        pulse: startPulse({ database, log }).pulse,
        clock,
        keyring,
        providers,
        directory: { findApp: async () => stage.principal.app, findPrincipal: async () => stage.principal },
        circuits: new Circuits(),
        onSent: receipts?.open(actor, database, log).add ?? (() => {}),
        callbackUrl: () => '',
        ownTexts: new Map(),
        countAttempt: () => {},
        countUncertain: () => {},
        health: { attempted: () => {} },
        routeBook: { sent: () => {} },
        metrics: { setInFlight: () => {}, countTakenOver: () => {}, setUnwritten: () => {} },
        log,
      })
      const issue = createIssue({
        database,
        keyring,
        providers,
        prices: async () => prices,
        reputation: {
          classify: () => ({ ipClass: null, treatment: null }),
          listings: () => [],
          sources: () => [],
        } as never,
        handOver: worker.handOver,
        // A connection that is lost while it writes alone is taken for its fault, and it is tried without it.
        countUnguarded: (error) => world.tell(`${name} goes on without a part of the guard: ${error}`),
        noteRefusal: () => {},
        routeKnowledge: { of: async () => null },
        routeBook: { saved: () => {} },
        metrics: { countSend: () => {}, observeBatch: () => {} },
        random: () => 0,
      })
      nodes.push({ actor, issue })
    })
  }

  const queued = world.tape.below(mostQueued + 1)
  await queueMessages(stage, queued)
  await start('A')
  await start('B')
  const calls = makeCalls(world, queued === 0 ? 1 + world.tape.below(mostCalls) : world.tape.below(3))
  const caller = world.addActor('caller')
  for (const call of calls) await world.as(caller, () => void makeCall(call))

  async function makeCall(call: Call): Promise<void> {
    for (let tries = 0; tries < mostTries; tries++) {
      const living = nodes.filter(({ actor }) => !actor.isDead)
      const node = living[world.tape.below(living.length)]
      if (node) {
        const result = await ask(node, call)
        if (result) break
      }
      await new Promise<void>((resolve) =>
        world.addTimer({ actor: caller, what: 'tries again', run: resolve }, 1_000),
      )
    }
    call.isOver = true
  }

  /** The caller's patience is a timer of its own: a node that has died answers nobody. */
  function ask(node: Node, call: Call): Promise<boolean> {
    return new Promise((resolve) => {
      const cancel = world.addTimer({ actor: caller, what: 'has waited', run: () => resolve(false) }, 20_000)
      world.add({
        actor: node.actor,
        what: 'is called',
        run: () => {
          const answer = send(
            { database: wires.open(node.actor), keyring, clock, issue: node.issue, noteRefusal: () => {} },
            stage.principal,
            { recipient: call.recipient, locale: null, clientIp: null, idempotencyKey: call.key },
          )
          const hear = (isOver: boolean) => {
            cancel()
            resolve(isOver)
          }
          answer.then(
            ({ otp_id }) =>
              world.add({
                actor: caller,
                what: 'hears',
                run: () => {
                  call.answers.push(otp_id)
                  hear(true)
                },
              }),
            (error: unknown) =>
              world.add({
                actor: caller,
                what: 'hears',
                run: () => {
                  const name = error instanceof AppError ? error.errorName : String(error)
                  if (name === 'UnavailableError') return hear(false)
                  call.refusal = name
                  hear(true)
                },
              }),
          )
        },
      })
    })
  }

  return {
    nodes: () => nodes.map(({ actor }) => actor),
    replace: () => start(`N${world.actors.length}`),
    isOver: async () => {
      if (calls.some(({ isOver }) => !isOver)) return false
      const [row] = await stage.post.look<{ left: number }>(
        `select count(*)::integer as left from deliveries where status = 'queued'`,
      )
      return row?.left === 0 && (!receipts || (await receipts.isOver()))
    },
    check: () => check(world, stage, carrier, calls, { workerOf, beats, receipts }),
  }
}

const prices = {
  currency: 'EUR',
  default: { sms: '0.05', whatsapp: '0.02', telegram: '0.01', email: '0.001', whatsapp_reply: '0' },
  countries: {},
}

/** Half of them to one person, whose limit is smaller than their number may be. */
function makeCalls(world: World, count: number): Call[] {
  const shared = freshPhone()
  return Array.from({ length: count }, (_, index) => ({
    key: `key-${index}`,
    recipient: index > 0 && world.tape.below(2) === 0 ? freshPhone() : shared,
    answers: [],
    refusal: null,
    isOver: false,
  }))
}

interface Row {
  readonly delivery_id: string
  readonly status: string
  readonly charge: string
  readonly error_code: string | null
  readonly taken_over_ms: number | null
  readonly price_micros: bigint
  readonly entries: string[]
}

interface Heard {
  readonly workerOf: ReadonlyMap<Actor, string>
  readonly beats: ReadonlyMap<string, readonly number[]>
  readonly receipts: Receipts | null
}

async function check(
  world: World,
  stage: Stage,
  carrier: Carrier,
  calls: readonly Call[],
  heard: Heard,
): Promise<void> {
  const rows = await stage.post.look<Row>(
    `select delivery_id, status, charge, error_code, price_micros,
            (extract(epoch from taken_over_at) * 1000)::float8 as taken_over_ms,
            array(select kind from ledger l where l.delivery_id = d.delivery_id order by kind) as entries
       from deliveries d`,
  )
  for (const row of rows) checkDelivery(world, carrier, heard, row)
  await heard.receipts?.check()
  for (const { deliveryId } of carrier.handedOver)
    if (!rows.some((row) => row.delivery_id === deliveryId))
      world.violate('a message was handed over that nobody has accepted')
  await checkMoney(world, stage)
  await checkCalls(world, stage, calls)
}

function checkDelivery(world: World, carrier: Carrier, heard: Heard, row: Row): void {
  const id = short(row.delivery_id)
  const taken = carrier.takenOf(row.delivery_id)
  if (row.status === 'queued') world.violate(`${id} is stuck`)
  const hasSpoken = heard.receipts?.saidOf(row.delivery_id, 'failed') ?? false
  if (row.status === 'failed' && taken.length > 0 && !hasSpoken)
    world.violate(`${id} is said to have failed, and was taken`)
  if (row.status === 'sent' && row.error_code === null && taken.length === 0)
    world.violate(`${id} is said to be sent, and nobody took it`)
  const paid = row.status === 'failed' ? ['reserve,return'] : ['capture,reserve']
  // By a receipt, also after it was booked as sent.
  if (row.status === 'failed' && hasSpoken) paid.push('capture,reserve,return')
  if (row.price_micros > 0n && row.status !== 'queued' && !paid.includes(row.entries.join()))
    world.violate(`${id} is ${row.status} with the entries ${row.entries.join()}`)
  if (taken.length <= 1) return
  if (taken.length > 2) world.violate(`${id} was taken ${taken.length} times`)
  const [first] = taken
  if (row.taken_over_ms === null) world.violate(`${id} was taken twice and does not say so`)
  if (row.taken_over_ms === null) return
  if (!first || first.actor.isDead) return
  const workerId = heard.workerOf.get(first.actor) ?? ''
  const lastMs = Math.max(
    0,
    ...(heard.beats.get(workerId) ?? []).filter((ms) => ms <= (row.taken_over_ms ?? 0)),
  )
  if (row.taken_over_ms - lastMs < aliveMs)
    world.violate(`${id} was taken over from ${first.actor.name}, which lives and was heard of`)
}

async function checkMoney(world: World, stage: Stage): Promise<void> {
  const [money] = await stage.post.look<{ balance: bigint; booked: bigint }>(
    `select balance_micros as balance, (select coalesce(sum(amount_micros), 0)::bigint from ledger l where l.company_id = c.company_id) as booked
       from companies c where company_id = $1`,
    [stage.companyId],
  )
  if (money && money.balance !== money.booked)
    world.violate(`the balance is ${money.balance}, and the ledger adds up to ${money.booked}`)
}

async function checkCalls(world: World, stage: Stage, calls: readonly Call[]): Promise<void> {
  const [found] = await stage.post.look<{ ids: string[]; keys: number }>(
    `select array(select otp_id from verifications where not otp_id = any($1)) as ids,
            (select count(*)::integer from idempotency_keys) as keys`,
    [stage.otpIds],
  )
  const answered = calls.filter(({ answers }) => answers.length > 0)
  const ids = new Set(answered.flatMap(({ answers }) => answers))
  for (const { key, answers } of calls)
    if (new Set(answers).size > 1) world.violate(`${key} has two verifications`)
  for (const id of ids) if (!found?.ids.includes(id)) world.violate('an accepted send is lost')
  for (const { key, refusal, answers, recipient } of calls) {
    if (refusal !== null && refusal !== 'RateLimitExceededError') world.violate(`${key} got ${refusal}`)
    const alike = calls.filter((call) => call.recipient === recipient)
    const accepted = alike.filter((call) => call.answers.length > 0).length
    if (accepted > recipientLimit)
      world.violate(`${accepted} sends to one person with a limit of ${recipientLimit}`)
    if (
      refusal !== null &&
      answers.length === 0 &&
      found &&
      found.ids.length < Math.min(recipientLimit, alike.length)
    )
      world.violate(`${key} was refused though the limit was not used up`)
  }
  if (found && found.keys !== found.ids.length)
    world.violate(`${found.ids.length} verifications of ${found.keys} keys`)
}
