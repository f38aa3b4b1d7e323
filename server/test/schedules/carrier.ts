/** The carrier of a world: records which node handed over which message and when, and answers as the tape decides. */
import type { OutgoingMessage, SendOutcome } from '../../src/channels/channel.ts'
import type { Provider, Providers } from '../../src/domain/routing/index.ts'
import { chooseAmong } from '../../src/domain/routing/providers.ts'
import type { Actor, World } from './world.ts'

export interface HandedOver {
  readonly deliveryId: string
  readonly actor: Actor
  /** When the node handed it over. */
  readonly sentMs: number
  /** Whether the carrier accepted it. */
  isTaken: boolean
}

const busy = { code: 'busy', message: 'Not now.' }
const refusal = { code: 'refused', message: 'Not at all.' }
/** Out of a hundred messages in a storm: accepted, to be retried, refused. */
const answers = [84, 10, 6]

export class Carrier {
  readonly handedOver: HandedOver[] = []
  /** Called when a node hands a message over. */
  onSend: (actor: Actor, deliveryId: string) => void = () => {}
  /** Called when the carrier has accepted a message, with the id that it gave it. */
  onTaken: (deliveryId: string, messageId: string) => void = () => {}
  readonly #world: World
  #count = 0

  constructor(world: World) {
    this.#world = world
  }

  takenOf(deliveryId: string): HandedOver[] {
    return this.handedOver.filter((each) => each.deliveryId === deliveryId && each.isTaken)
  }

  /** The provider accounts of one node. */
  providersFor(actor: Actor): Providers {
    const list: Provider[] = (['sms', 'whatsapp', 'telegram', 'email'] as const).map((channel) => ({
      // The queued messages of the stage are meant for this account.
      providerId: `capture-${channel}`,
      kind: 'capture',
      channel,
      companyId: null,
      countries: null,
      priority: 100,
      whatsappNumber: channel === 'whatsapp' ? '15550001111' : null,
      account: {
        send: (message, signal) => this.#hear(actor, message, signal),
        parseCallback: () => ({ kind: 'accepted', receipts: [], inbound: [] }),
        close: async () => {},
      },
    }))
    return {
      usable: (...wanted) => chooseAmong({ list }, ...wanted),
      find: (providerId) => list.find((each) => each.providerId === providerId),
      all: () => list,
    }
  }

  #hear(actor: Actor, { deliveryId }: OutgoingMessage, signal: AbortSignal): Promise<SendOutcome> {
    const world = this.#world
    const handed: HandedOver = { deliveryId, actor, sentMs: world.nowMs, isTaken: false }
    this.handedOver.push(handed)
    world.tell(`${actor.name} hands ${short(deliveryId)} over`)
    this.onSend(actor, deliveryId)
    return new Promise((resolve) => {
      signal.addEventListener('abort', () =>
        resolve({ kind: 'uncertain', error: { code: 'timeout', message: 'No answer.' } }),
      )
      world.add({
        actor,
        what: 'a message reaches the carrier',
        outlives: handed,
        run: () => {
          const outcome = this.#answer(handed)
          world.tell(`the carrier has ${short(deliveryId)} of ${actor.name}: ${outcome.kind}`)
          world.add({ actor, what: 'hears from the carrier', run: () => resolve(outcome) })
        },
      })
    })
  }

  #answer(handed: HandedOver): SendOutcome {
    const choice = this.#world.isStormy ? this.#world.tape.choose(answers) : 0
    if (choice === 1) return { kind: 'retry', error: busy, afterSeconds: null }
    if (choice === 2) return { kind: 'refused', error: refusal }
    handed.isTaken = true
    const messageId = `m-${++this.#count}`
    this.onTaken(handed.deliveryId, messageId)
    return { kind: 'accepted', messageId }
  }
}

export const short = (id: string) => id.slice(-4)
