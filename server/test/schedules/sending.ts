/** Nodes that accept sends and hand messages over, and what must be true of each message in the end. */
import { Circuits } from '../../src/domain/delivery/index.ts'
import type { AppInForce } from '../../src/domain/tenancy/index.ts'
import { createIssue } from '../../src/domain/verification/index.ts'
import type { Database } from '../../src/platform/database.ts'
import { DeliveryWorker } from '../../src/worker/deliveries.ts'
import { startPulse } from '../../src/worker/pulse.ts'
import { Carrier, short } from './carrier.ts'
import type { Receipts } from './receipts.ts'
import type { Stage } from './stage.ts'
import type { Wires } from './wire.ts'
import type { Actor, World } from './world.ts'

/** How long a worker counts as alive after its last heartbeat. */
const aliveMs = 25_000

export interface SendingNode {
  readonly actor: Actor
  readonly database: Database
  readonly issue: ReturnType<typeof createIssue>
  readonly nudge: () => void
}

interface SendingOptions {
  readonly app?: AppInForce
  readonly receipts?: Receipts | null
}

export class Sending {
  readonly nodes: SendingNode[] = []
  readonly carrier: Carrier
  readonly #world: World
  readonly #wires: Wires
  readonly #stage: Stage
  readonly #app: AppInForce
  readonly #receipts: Receipts | null
  readonly #workerOf = new Map<Actor, string>()
  /** The heartbeats of each worker that reached the database. */
  readonly #beats = new Map<string, number[]>()

  constructor(world: World, wires: Wires, stage: Stage, { app, receipts = null }: SendingOptions = {}) {
    this.#world = world
    this.#wires = wires
    this.#stage = stage
    this.#app = app ?? stage.principal.app
    this.#receipts = receipts
    this.carrier = new Carrier(world)
    if (receipts) this.carrier.onTaken = receipts.speak
    wires.onRun = (actor, { name, values }) => {
      if (name !== 'say-alive') return
      const workerId = String(values?.[0])
      this.#workerOf.set(actor, workerId)
      this.#beats.set(workerId, [...(this.#beats.get(workerId) ?? []), world.nowMs])
    }
    this.carrier.onSend = (actor, deliveryId) => world.look(() => this.#lookAtHandOver(actor, deliveryId))
  }

  get living(): readonly SendingNode[] {
    return this.nodes.filter(({ actor }) => !actor.isDead)
  }

  async start(name: string): Promise<void> {
    const world = this.#world
    const stage = this.#stage
    const receipts = this.#receipts
    const actor = world.addActor(name)
    const database = this.#wires.open(actor)
    const providers = this.carrier.providersFor(actor)
    const clock = { nowMs: () => world.nowMs }
    const keyring = () => stage.keyring
    await world.as(actor, () => {
      const log = (_: unknown, message: string) => world.tell(`${name}: "${message}"`)
      const warn = (message: string) => log('warn', message)
      const worker = new DeliveryWorker({
        warn,
        database,
        pulse: startPulse({ database, warn }).pulse,
        clock,
        keyring,
        providers,
        directory: {
          findApp: async () => this.#app,
          findPrincipal: async () => stage.principal,
          recallPrincipal: () => stage.principal,
        },
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
        // A write that fails because its connection is lost is blamed on the guard, and tried without it.
        countUnguarded: (error) => world.tell(`${name} goes on without a part of the guard: ${error}`),
        noteRefusal: () => {},
        routeKnowledge: { of: async () => null },
        routeBook: { saved: () => {} },
        metrics: { countSend: () => {}, observeBatch: () => {} },
        random: () => 0,
      })
      this.nodes.push({ actor, database, issue, nudge: worker.nudge })
    })
  }

  /** A worker may only hand over a message that it holds. */
  async #lookAtHandOver(actor: Actor, deliveryId: string): Promise<void> {
    const [row] = await this.#stage.post.look<{
      held_by: string | null
      status: string
      is_taken_over: boolean
    }>(
      'select held_by, status, taken_over_at is not null as is_taken_over from deliveries where delivery_id = $1',
      [deliveryId],
    )
    const workerId = this.#workerOf.get(actor)
    if (row?.status === 'queued' && (workerId === undefined || row.held_by === workerId)) return
    // A worker that counted as dead may just have recorded the outcome. `check` looks at such takeovers in the end.
    if (row?.status !== 'queued' && row?.is_taken_over) return
    this.#world.violate(
      `${actor.name} hands ${short(deliveryId)} over, which it does not hold (${row?.status}, ${row?.held_by})`,
    )
  }

  async areMessagesOver(): Promise<boolean> {
    const [row] = await this.#stage.post.look<{ left: number }>(
      `select count(*)::integer as left from deliveries where status = 'queued'`,
    )
    return row?.left === 0
  }

  async check(): Promise<void> {
    const rows = await this.#stage.post.look<Row>(
      `select delivery_id, status, charge, error_code, price_micros,
              (extract(epoch from taken_over_at) * 1000)::float8 as taken_over_ms,
              array(select kind from ledger l where l.delivery_id = d.delivery_id order by kind) as entries
         from deliveries d`,
    )
    for (const row of rows) this.#checkDelivery(row)
    for (const { deliveryId } of this.carrier.handedOver)
      if (!rows.some((row) => row.delivery_id === deliveryId))
        this.#world.violate('a message was handed over that nobody has accepted')
    await this.#checkMoney()
  }

  #checkDelivery(row: Row): void {
    const world = this.#world
    const id = short(row.delivery_id)
    const taken = this.carrier.takenOf(row.delivery_id)
    if (row.status === 'queued') world.violate(`${id} is stuck`)
    const hasSpoken = this.#receipts?.saidOf(row.delivery_id, 'failed') ?? false
    if (row.status === 'failed' && taken.length > 0 && !hasSpoken)
      world.violate(`${id} is said to have failed, and was taken`)
    if (row.status === 'sent' && row.error_code === null && taken.length === 0)
      world.violate(`${id} is said to be sent, and nobody took it`)
    const paid = row.status === 'failed' ? ['reserve,return'] : ['capture,reserve']
    // A receipt may report a failure after the message was booked as sent.
    if (row.status === 'failed' && hasSpoken) paid.push('capture,reserve,return')
    if (row.price_micros > 0n && row.status !== 'queued' && !paid.includes(row.entries.join()))
      world.violate(`${id} is ${row.status} with the entries ${row.entries.join()}`)
    if (taken.length <= 1) return
    if (taken.length > 2) world.violate(`${id} was taken ${taken.length} times`)
    const [first] = taken
    if (row.taken_over_ms === null) world.violate(`${id} was taken twice and does not say so`)
    if (row.taken_over_ms === null) return
    if (!first || first.actor.isDead) return
    const workerId = this.#workerOf.get(first.actor) ?? ''
    const lastMs = Math.max(
      0,
      ...(this.#beats.get(workerId) ?? []).filter((ms) => ms <= (row.taken_over_ms ?? 0)),
    )
    if (row.taken_over_ms - lastMs < aliveMs)
      world.violate(`${id} was taken over from ${first.actor.name}, which lives and was heard of`)
  }

  async #checkMoney(): Promise<void> {
    const [money] = await this.#stage.post.look<{ balance: bigint; booked: bigint }>(
      `select balance_micros as balance, (select coalesce(sum(amount_micros), 0)::bigint from ledger l where l.company_id = c.company_id) as booked
         from companies c where company_id = $1`,
      [this.#stage.companyId],
    )
    if (money && money.balance !== money.booked)
      this.#world.violate(`the balance is ${money.balance}, and the ledger adds up to ${money.booked}`)
  }
}

export const prices = {
  currency: 'EUR',
  default: { sms: '0.05', whatsapp: '0.02', telegram: '0.01', email: '0.001', whatsapp_reply: '0.01' },
  countries: {},
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
