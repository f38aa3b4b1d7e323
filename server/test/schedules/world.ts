/**
 * Several nodes in one process, of which one goes on at a time. Whatever a node waits for (an answer of the database, of
 * a carrier, a timer) is a step that somebody has to take; the tape says which is taken next, how long that takes, and
 * who is paused or dies. Time is the world's: nothing waits in real time.
 */
import type { Tape } from './tape.ts'

/** A node, or a caller of one. */
export interface Actor {
  readonly name: string
  isDead: boolean
  /** Takes no step before then, though time goes on. */
  pausedUntilMs: number
}

export interface Step {
  /** Who takes it; null: it is on its way between two of them, and nobody's death stops it. */
  readonly actor: Actor | null
  readonly what: string
  /** What is on its way may arrive though its sender has died; this names what it goes along. */
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
  /** Called when time has passed, for what ends by itself. */
  readonly onTime: () => Promise<void>
  readonly realImmediate: (run: () => void) => unknown
}

export class World {
  readonly tape: Tape
  readonly startMs: number
  nowMs: number
  /** The one whose step is being taken: what it asks for is its own. */
  current: Actor | null = null
  readonly actors: Actor[] = []
  /** What happened, for a person who looks for the fault. */
  readonly story: string[] = []
  readonly violations: string[] = []
  /** Questions about the moment that must be answered before anybody goes on. */
  readonly #looks: (() => Promise<void>)[] = []
  readonly #options: WorldOptions
  #steps: Step[] = []
  #timers: Timer[] = []
  #order = 0
  /** While faults may happen. */
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

  /** What an actor does of itself, until it waits. */
  async as(actor: Actor, run: () => void): Promise<void> {
    await this.#take({ actor, what: 'begins', run })
  }

  /** Answers what it has sent that still arrives. */
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

  /** Without a word, and nothing of it arrives any more. */
  end(actor: Actor): void {
    actor.isDead = true
    this.#timers = []
    this.#steps = []
  }

  pause(actor: Actor, forMs: number): void {
    this.tell(`${actor.name} stands still for ${forMs} ms`)
    actor.pausedUntilMs = this.nowMs + forMs
  }

  /** Nobody stands still any more, and nothing goes wrong from here on. */
  calm(): void {
    this.isStormy = false
    for (const actor of this.actors) actor.pausedUntilMs = 0
  }

  async passTime(forMs: number): Promise<void> {
    this.nowMs += forMs
    await this.#options.onTime()
  }

  /** Takes one step; false where nothing is left to do at this moment. */
  async goOn(): Promise<boolean> {
    const runnable = this.#runnable()
    if (runnable.length === 0) return false
    // Mostly in order, for else a node would seldom get anything done.
    const index = this.tape.choose(runnable.map((_, place) => (place === 0 ? 4 : place < 4 ? 1 : 0.3)))
    const chosen = runnable[index]
    if (!chosen) return false
    this.#remove(chosen)
    await this.passTime(1)
    await this.#take(chosen)
    return true
  }

  /** To the next thing that comes by itself, and not further than this. */
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
    // A node's timers come in their order, as they do in Node.
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

  /** Until whoever went on waits again: promises and immediates have all run. */
  async #settle(): Promise<void> {
    let seen = -1
    for (let quiet = 0; quiet < 2; quiet++) {
      await new Promise<void>((resolve) => this.#options.realImmediate(resolve))
      if (seen !== this.#order) quiet = 0
      seen = this.#order
    }
  }
}
