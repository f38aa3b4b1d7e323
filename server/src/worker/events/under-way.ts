/** Events that are being sent, each until its outcome is written. */
import {
  type Answered,
  createOutcomes,
  type DueEvent,
  nameOf,
  type SendEventDependencies,
  sendEvent,
} from '../../domain/webhooks/index.ts'
import type { Database } from '../../platform/database.ts'
import { LateWrites } from '../../platform/late-writes.ts'
import { describeError } from '../../platform/log.ts'
import { Pool } from '../../platform/pool.ts'
import type { Pulse } from '../../platform/pulse.ts'
import { Tally } from '../../platform/tally.ts'
import { untilWritten } from './late-outcomes.ts'

/** The ten seconds of a call, and two more for the delays of a busy machine. */
const attemptMs = 12_000
/** While the database is away nothing else can be done, so outcomes are kept until it is back. */
const keptMs = 24 * 3_600_000
const refusedMs = 15 * 60_000
/** Successes are written in batches, so this is not the number of statements. */
const lateAtOnce = 50

export interface UnderWayDependencies extends Omit<SendEventDependencies, 'outcomes'> {
  readonly database: Database
  /** The sign of life of this process; it continues until nothing is in hand any more. */
  readonly pulse: Pulse
}

export interface Observer {
  /** Called with how an endpoint answered, before that is written. */
  readonly onAnswer: (endpointId: string, answered: Omit<Answered, 'inFlight'>) => void
  /** Called when the event is no longer in hand. */
  readonly onEnd: (event: DueEvent) => void
}

interface Job {
  readonly event: DueEvent
  /** When the lease began, or a moment earlier. */
  readonly heldSinceMs: number
}

export class UnderWay {
  /** Their names. One may be in hand twice for a moment: given back and claimed again, the answer to the claim first. */
  readonly #held = new Tally()
  readonly #late: LateWrites
  readonly #pool: Pool<Job>

  constructor(dependencies: UnderWayDependencies, { onAnswer, onEnd }: Observer) {
    const { log, pulse } = dependencies
    this.#late = new LateWrites({ what: 'outcomes of events', keptMs, refusedMs, maxAtOnce: lateAtOnce, log })
    const sending = { ...dependencies, outcomes: untilWritten(createOutcomes(dependencies), this.#late) }
    this.#pool = new Pool<Job>({
      ownerOf: ({ event }) => event.endpointId,
      run: async ({ event, heldSinceMs }) => {
        // Somebody else might send it before this attempt ends. The event waits again when its lease is over.
        if (!pulse.covers(heldSinceMs, attemptMs)) return
        await sendEvent(sending, event, (answered) => onAnswer(event.endpointId, answered))
      },
      // Nothing was sent yet: the lease runs out, and the event is claimed again.
      onError: ({ event }, error) =>
        log('error', 'an event could not be sent', { event_id: event.eventId, ...describeError(error) }),
      onEnd: ({ event }) => {
        this.#held.add(nameOf(event), -1)
        onEnd(event)
      },
    })
  }

  get size(): number {
    return this.#pool.size
  }

  countOf(endpointId: string): number {
    return this.#pool.countOf(endpointId)
  }

  /** The names of all events that are being sent, or whose outcome is not written yet. */
  names(): string[] {
    return this.#held.names()
  }

  start(event: DueEvent, heldSinceMs: number): void {
    this.#held.add(nameOf(event), 1)
    this.#pool.start({ event, heldSinceMs })
  }

  /** Resolves when all events have ended, including those that were started meanwhile. */
  drained(): Promise<void> {
    return this.#pool.drained()
  }

  /** Gives up outcomes that could not be written. */
  stop(): void {
    this.#late.stop()
  }
}
