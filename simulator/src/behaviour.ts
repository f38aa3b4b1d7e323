import type { Channel } from './channel.ts'
import { recipientKey } from './recipient.ts'
import { whatsAppSpellings } from './wires/whatsapp/wa-id.ts'

export const OUTCOMES = ['deliver', 'fail', 'reject', 'unreachable', 'silent', 'error', 'duplicate'] as const
export type Outcome = (typeof OUTCOMES)[number]

export interface Behaviour {
  readonly outcome: Outcome
  readonly delayMs: number
}

export interface BehaviourRule extends Behaviour {
  readonly to: string
  readonly channel: Channel | null
}

export const EVERYBODY = '*'
const MAX_RULES = 10_000
const USUAL: Behaviour = { outcome: 'deliver', delayMs: 0 }

export function isOutcome(value: unknown): value is Outcome {
  return OUTCOMES.some((outcome) => outcome === value)
}

/** How the carriers treat each person. A person beats `*`, and a channel beats none. */
export class Behaviours {
  readonly #rules = new Map<string, BehaviourRule>()

  set(rule: BehaviourRule): void {
    const key = ruleKey(rule.to, rule.channel)
    this.#rules.delete(key)
    this.#rules.set(key, rule)
    const oldest = this.#rules.keys().next().value
    if (this.#rules.size > MAX_RULES && oldest !== undefined) this.#rules.delete(oldest)
  }

  find(to: string, channel: Channel): Behaviour {
    const names = channel === 'whatsapp' ? whatsAppSpellings(to) : [to]
    for (const name of [...names, EVERYBODY]) {
      const rule = this.#rules.get(ruleKey(name, channel)) ?? this.#rules.get(ruleKey(name, null))
      if (rule !== undefined) return rule
    }
    return USUAL
  }

  list(): BehaviourRule[] {
    return [...this.#rules.values()]
  }

  clear(): void {
    this.#rules.clear()
  }
}

/** Whether the person ever sees a message with this outcome. */
export function reachesPerson(outcome: Outcome): boolean {
  return outcome === 'deliver' || outcome === 'silent' || outcome === 'duplicate'
}

function ruleKey(to: string, channel: Channel | null): string {
  return `${channel ?? ''} ${recipientKey(to)}`
}
