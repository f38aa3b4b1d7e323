import type { Channel } from './channel.ts'
import { recipientKey } from './recipient.ts'
import { whatsAppSpellings } from './wires/whatsapp/wa-id.ts'

export const OUTCOMES = [
  'deliver',
  'fail',
  'reject',
  'unreachable',
  'silent',
  'error',
  'throttle',
  'duplicate',
] as const
export type Outcome = (typeof OUTCOMES)[number]

export interface Behaviour {
  readonly outcome: Outcome
  readonly delayMs: number
}

export interface BehaviourRule extends Behaviour {
  readonly to: string
  readonly channel: Channel | null
  /** Whether the rule is for the next message only, and is removed when a message uses it. */
  readonly isOnce: boolean
}

export const EVERYBODY = '*'
const MAX_RULES = 10_000
const MAX_TAKEN = 100
const USUAL: Behaviour = { outcome: 'deliver', delayMs: 0 }

export function isOutcome(value: unknown): value is Outcome {
  return OUTCOMES.some((outcome) => outcome === value)
}

/** How the carriers treat each person. A person beats `*`, and a channel beats none. */
export class Behaviours {
  readonly #rules = new Map<string, BehaviourRule>()
  readonly #taken = new Map<string, Behaviour>()
  readonly #listeners = new Set<() => void>()

  set(rule: BehaviourRule): void {
    const key = ruleKey(rule.to, rule.channel)
    this.#rules.delete(key)
    this.#rules.set(key, rule)
    const oldest = this.#rules.keys().next().value
    if (this.#rules.size > MAX_RULES && oldest !== undefined) this.#rules.delete(oldest)
    this.#tell()
  }

  find(to: string, channel: Channel): Behaviour {
    return this.#findRule(to, channel) ?? USUAL
  }

  /**
   * The behaviour for one message. A rule for the next message only is removed. The parts of a long message share a
   * `name`, and all get the behaviour of the first.
   */
  take(to: string, channel: Channel, name: string | null = null): Behaviour {
    const taken = name === null ? undefined : this.#taken.get(name)
    if (taken !== undefined) return taken
    const rule = this.#findRule(to, channel)
    if (!rule?.isOnce) return rule ?? USUAL
    this.remove(rule.to, rule.channel)
    if (name !== null) this.#remember(name, rule)
    return rule
  }

  #remember(name: string, behaviour: Behaviour): void {
    this.#taken.set(name, behaviour)
    const oldest = this.#taken.keys().next().value
    if (this.#taken.size > MAX_TAKEN && oldest !== undefined) this.#taken.delete(oldest)
  }

  #findRule(to: string, channel: Channel): BehaviourRule | undefined {
    const names = channel === 'whatsapp' ? whatsAppSpellings(to) : [to]
    for (const name of [...names, EVERYBODY]) {
      const rule = this.#rules.get(ruleKey(name, channel)) ?? this.#rules.get(ruleKey(name, null))
      if (rule !== undefined) return rule
    }
    return undefined
  }

  remove(to: string, channel: Channel | null): void {
    if (this.#rules.delete(ruleKey(to, channel))) this.#tell()
  }

  /** Called whenever rules have changed. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  #tell(): void {
    for (const listener of this.#listeners) listener()
  }

  list(): BehaviourRule[] {
    return [...this.#rules.values()]
  }

  clear(): void {
    this.#rules.clear()
    this.#tell()
  }
}

/** Whether the person ever sees a message with this outcome. */
export function reachesPerson(outcome: Outcome): boolean {
  return outcome === 'deliver' || outcome === 'silent' || outcome === 'duplicate'
}

function ruleKey(to: string, channel: Channel | null): string {
  return `${channel ?? ''} ${recipientKey(to)}`
}
