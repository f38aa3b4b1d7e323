/** A carrier that sends receipts for its messages to any node, and repeats each until it is acknowledged. */
import { createReceiptBook, receiveReceipt } from '../../src/domain/delivery/index.ts'
import type { Database } from '../../src/platform/database.ts'
import type { Log } from '../../src/platform/log.ts'
import { operatorOwner } from '../../src/platform/tenant.ts'
import { type EarlyLooks, ReceiptDesk, startEarlyLooks } from '../../src/worker/receipts.ts'
import { short } from './carrier.ts'
import type { Stage } from './stage.ts'
import type { Actor, World } from './world.ts'

type Status = 'delivered' | 'failed'

interface Spoken {
  readonly deliveryId: string
  /** How the receipt identifies the message: some carriers use our own id, others theirs. */
  readonly names: { readonly deliveryId: string | null; readonly messageId: string }
  readonly status: Status
  isAcknowledged: boolean
}

/** The account that the queued messages of the stage are meant for. */
const providerId = 'capture-sms'
const patienceMs = 10_000
const pauseMs = 3_000
/** Out of a hundred receipts: sent once, sent twice. */
const times = [70, 30]
const statuses = [85, 15]
/** Some seconds pass between two looks, so by then every early receipt has been looked for. */
const mostLooks = 20

export class Receipts {
  readonly #world: World
  readonly #stage: Stage
  readonly #carrier: Actor
  readonly #isByOurId: boolean
  readonly #desks: { readonly actor: Actor; readonly desk: ReceiptDesk }[] = []
  readonly #spoken: Spoken[] = []
  #looks = 0

  constructor(world: World, stage: Stage) {
    this.#world = world
    this.#stage = stage
    this.#carrier = world.addActor('carrier')
    this.#isByOurId = world.tape.below(2) === 1
  }

  /** Opens what a node needs to receive receipts, and to look again for those that came too early. */
  open(actor: Actor, database: Database, log: Log): EarlyLooks {
    const clock = { nowMs: () => this.#world.nowMs }
    const dependencies = {
      database,
      clock,
      keyring: () => this.#stage.keyring,
      receiptBook: createReceiptBook({ database, clock }),
      onApplied: () => {},
    }
    const desk = new ReceiptDesk(
      (provider, receipt) =>
        receiveReceipt(dependencies, { companyId: operatorOwner, providerId: provider }, receipt),
      log,
    )
    this.#desks.push({ actor, desk })
    return startEarlyLooks(dependencies, (message) => log('warn', message))
  }

  readonly speak = (deliveryId: string, messageId: string): void => {
    const { tape, isStormy } = this.#world
    const status: Status = isStormy && tape.choose(statuses) === 1 ? 'failed' : 'delivered'
    const spoken: Spoken = {
      deliveryId,
      names: { deliveryId: this.#isByOurId ? deliveryId : null, messageId },
      status,
      isAcknowledged: false,
    }
    this.#spoken.push(spoken)
    this.#bring(spoken)
    if (isStormy && tape.choose(times) === 1) this.#bring(spoken)
  }

  saidOf(deliveryId: string, status: Status): boolean {
    return this.#spoken.some((each) => each.deliveryId === deliveryId && each.status === status)
  }

  #bring(spoken: Spoken): void {
    const world = this.#world
    const again = () => {
      if (!spoken.isAcknowledged)
        world.addTimer(
          { actor: this.#carrier, what: 'speaks again', run: () => this.#bring(spoken) },
          pauseMs,
        )
    }
    const living = this.#desks.filter(({ actor }) => !actor.isDead)
    const node = living[world.tape.below(living.length)]
    if (!node) {
      again()
      return
    }
    const cancel = world.addTimer({ actor: this.#carrier, what: 'has waited', run: again }, patienceMs)
    const hear = (isRecorded: boolean) =>
      world.add({
        actor: this.#carrier,
        what: 'hears of its receipt',
        run: () => {
          cancel()
          if (isRecorded) spoken.isAcknowledged = true
          else again()
        },
      })
    world.add({
      actor: node.actor,
      what: 'hears a receipt',
      run: () => {
        world.tell(`${node.actor.name} hears that ${short(spoken.deliveryId)} is ${spoken.status}`)
        const receipt = { ...spoken.names, status: spoken.status, error: null, unreachable: false }
        node.desk.put(providerId, receipt).then(
          () => hear(true),
          () => hear(false),
        )
      },
    })
  }

  /** All receipts are acknowledged, and those that can be matched are recorded. */
  async isOver(): Promise<boolean> {
    if (this.#spoken.some(({ isAcknowledged }) => !isAcknowledged)) return false
    return ++this.#looks > mostLooks || (await this.#unrecorded()).length === 0
  }

  /**
   * Deliveries with an acknowledged receipt that is not recorded. If we never learned the carrier's id of a message,
   * only a receipt with our own id can be matched.
   */
  async #unrecorded(): Promise<string[]> {
    const rows = await this.#rows()
    return rows
      .filter(({ delivery_id, status, error_code }) => {
        const isOurs = this.#isByOurId || error_code === null
        return isOurs && status === 'sent' && this.#spoken.some((each) => each.deliveryId === delivery_id)
      })
      .map(({ delivery_id }) => delivery_id)
  }

  async check(): Promise<void> {
    for (const { delivery_id, status, events } of await this.#rows()) {
      const id = short(delivery_id)
      if (status === 'delivered' && !this.saidOf(delivery_id, 'delivered'))
        this.#world.violate(`${id} is delivered, and nobody said so`)
      const expected = status === 'delivered' || status === 'failed' ? `delivery.${status}` : ''
      if (events !== expected) this.#world.violate(`${id} is ${status} with the events "${events}"`)
    }
    if (this.#world.violations.length > 0) return
    for (const id of await this.#unrecorded()) this.#world.violate(`the receipt of ${short(id)} is lost`)
  }

  #rows() {
    return this.#stage.post.look<{
      delivery_id: string
      status: string
      error_code: string | null
      events: string
    }>(
      `select delivery_id, status, error_code,
              array_to_string(array(select type from events e where e.delivery_id = d.delivery_id), ' ') as events
         from deliveries d`,
    )
  }
}
