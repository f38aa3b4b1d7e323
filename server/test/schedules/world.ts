/**
 * Several nodes in one process, of which only one runs at a time. Whatever a node waits for (an answer of the database
 * or of a carrier, a timer) is a step. The tape decides which step comes next, how long it takes, and who is paused or
 * dies. Time is the world's: nothing waits in real time.
 */
import type { Tape } from './tape.ts'

/** A node, or a caller of one. */
export interface Actor {
  readonly name: string
  isDead: boolean
  /** It takes no step before then, although time passes. */
  pausedUntilMs: number
}

export interface Step {
  /** The actor that takes it; null if it is in transit, where nobody's death stops it. */
  readonly actor: Actor | null
  readonly what: string
  /** A step in transit may happen after its sender has died; this names the connection or message it belongs to. */
  readonly outlives?: object
  readonly run: () => void | Promise<void>
}

interface Timer {
  readonly dueMs: number
  readonly order: number
  readonly step: Step
}

export interface WorldOptions {
  readonly tape: Tape
  readonly startMs: number
  /** Called when time has passed, to apply timeouts. */
  readonly onTime: () => Promise<void>
  readonly realImmediate: (run: () => void) => unknown
}

export class World {
  readonly tape: Tape
  readonly startMs: number
  nowMs: number
  /** The actor whose step is running. Whatever is asked meanwhile belongs to it. */
  current: Actor | null = null
  readonly actors: Actor[] = []
  /** What happened, for a person who looks for a bug. */
  readonly story: string[] = []
  readonly violations: string[] = []
  /** Checks of the present moment, which run before the next step. */
  readonly #looks: (() => Promise<void>)[] = []
  readonly #options: WorldOptions
  #steps: Step[] = []
  #timers: Timer[] = []
  #order = 0
  /** True while faults may happen. */
  isStormy = true

  constructor(options: WorldOptions) {
    this.#options = options
    this.tape = options.tape
    this.startMs = options.startMs
    this.nowMs = options.startMs
  }

  addActor(name: string): Actor {
    const actor: Actor = { name, isDead: false, pausedUntilMs: 0 }
    this.actors.push(actor)
    return actor
  }

  add(step: Step): void {
    this.#order++
    this.#steps.push(step)
  }

  addTimer(step: Step, afterMs: number): () => void {
    const timer = { dueMs: this.nowMs + Math.max(1, afterMs), order: this.#order++, step }
    this.#timers.push(timer)
    return () => {
      this.#timers = this.#timers.filter((each) => each !== timer)
    }
  }

  tell(text: string): void {
    this.story.push(`${String(this.nowMs - this.startMs).padStart(7)} ms  ${text}`)
  }

  violate(text: string): void {
    this.tell(`VIOLATION: ${text}`)
    this.violations.push(text)
  }

  look(question: () => Promise<void>): void {
    this.#looks.push(question)
  }

  /** Starts an actor's own work, until it waits for something. */
  async as(actor: Actor, run: () => void): Promise<void> {
    await this.#take({ actor, what: 'begins', run })
  }

  /** Returns what the actor had in transit that will still arrive. */
  kill(actor: Actor): ReadonlySet<object> {
    this.tell(`${actor.name} dies`)
    actor.isDead = true
    this.#timers = this.#timers.filter(({ step }) => step.actor !== actor)
    const onTheirWay = new Set<object>()
    this.#steps = this.#steps.flatMap((step) => {
      if (step.actor !== actor) return [step]
      if (!step.outlives || this.tape.choose([1, 1]) === 0) return []
      onTheirWay.add(step.outlives)
      return [{ ...step, actor: null }]
    })
    return onTheirWay
  }

  /** Stops an actor and drops everything in transit, without a line in the story. */
  end(actor: Actor): void {
    actor.isDead = true
    this.#timers = []
    this.#steps = []
  }

  pause(actor: Actor, forMs: number): void {
    this.tell(`${actor.name} stands still for ${forMs} ms`)
    actor.pausedUntilMs = this.nowMs + forMs
  }

  /** Ends all pauses; from here on nothing goes wrong. */
  calm(): void {
    this.isStormy = false
    for (const actor of this.actors) actor.pausedUntilMs = 0
  }

  async passTime(forMs: number): Promise<void> {
    this.nowMs += forMs
    await this.#options.onTime()
  }

  /** Takes one step; false if there is none at this moment. */
  async goOn(): Promise<boolean> {
    const runnable = this.#runnable()
    if (runnable.length === 0) return false
    // Mostly in order, because otherwise a node would rarely finish anything.
    const index = this.tape.choose(runnable.map((_, place) => (place === 0 ? 4 : place < 4 ? 1 : 0.3)))
    const chosen = runnable[index]
    if (!chosen) return false
    this.#remove(chosen)
    await this.passTime(1)
    await this.#take(chosen)
    return true
  }

  /** Moves time to the next timer, or by `mostMs` at most. */
  async wait(mostMs: number): Promise<void> {
    const next = this.#timers
      .filter(({ step }) => !step.actor?.isDead)
      .map(({ dueMs, step }) => Math.max(dueMs, step.actor?.pausedUntilMs ?? 0))
    const dueMs = Math.min(...next, this.nowMs + mostMs)
    await this.passTime(Math.max(1, dueMs - this.nowMs))
  }

  #runnable(): Step[] {
    const isAwake = ({ actor }: Step) => !actor || (!actor.isDead && actor.pausedUntilMs <= this.nowMs)
    const due = this.#timers
      .filter(({ dueMs, step }) => dueMs <= this.nowMs && isAwake(step))
      .sort((left, right) => left.dueMs - right.dueMs || left.order - right.order)
    // A node's timers fire in order, as they do in Node.
    const first = due.filter(
      ({ step }, index) => due.findIndex((each) => each.step.actor === step.actor) === index,
    )
    return [...this.#steps.filter(isAwake), ...first.map(({ step }) => step)]
  }

  #remove(step: Step): void {
    this.#steps = this.#steps.filter((each) => each !== step)
    this.#timers = this.#timers.filter((timer) => timer.step !== step)
  }

  async #take(step: Step): Promise<void> {
    this.current = step.actor
    const work = step.run()
    if (work) {
      this.current = null
      await work
    }
    await this.#settle()
    this.current = null
    for (const look of this.#looks.splice(0)) await look()
  }

  /** Waits until the running actor waits again, when all promises and immediates have run. */
  async #settle(): Promise<void> {
    let seen = -1
    for (let quiet = 0; quiet < 2; quiet++) {
      await new Promise<void>((resolve) => this.#options.realImmediate(resolve))
      if (seen !== this.#order) quiet = 0
      seen = this.#order
    }
  }
}
