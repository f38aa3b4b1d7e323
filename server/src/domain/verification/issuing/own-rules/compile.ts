/** An app's own rules, prepared for evaluation: made once for each list that the directory remembers. */
import type { OwnRule, RuleAction } from '@countersign/contract'
import { type CountedOf, conditionsOf, type NamedCondition } from './conditions.ts'

export interface CompiledRule {
  readonly ruleId: string
  readonly name: string
  readonly isShadow: boolean
  readonly conditions: readonly NamedCondition[]
  readonly then: RuleAction
}

export interface CompiledRules {
  /** All rules except those that are off. */
  readonly rules: readonly CompiledRule[]
  /** The longest window that a rule counts sends over; 0 if no rule does, and sends are then not counted. */
  readonly countedSeconds: Readonly<Record<CountedOf, number>>
  readonly asksKnown: boolean
}

export function compileRules(list: readonly OwnRule[]): CompiledRules | null {
  const active = list.filter(({ mode }) => mode !== 'off')
  if (active.length === 0) return null
  const longest = (name: 'sends_of_recipient' | 'sends_of_address' | 'sends_of_app') =>
    Math.max(...active.map(({ when }) => when[name]?.window_s ?? 0))
  return {
    rules: active.map(({ rule_id, name, mode, when, then }) => ({
      ruleId: rule_id,
      name,
      isShadow: mode === 'shadow',
      conditions: conditionsOf(when),
      then,
    })),
    countedSeconds: {
      recipient: longest('sends_of_recipient'),
      address: longest('sends_of_address'),
      app: longest('sends_of_app'),
    },
    asksKnown: active.some(({ when }) => when.known !== undefined),
  }
}

/** Keyed by the list itself, which lives as long as the directory remembers its app. */
const compiled = new WeakMap<readonly OwnRule[], CompiledRules | null>()

/** Null if there is no active rule. */
export function compiledRules(list: readonly OwnRule[]): CompiledRules | null {
  if (list.length === 0) return null
  const known = compiled.get(list)
  if (known !== undefined) return known
  const made = compileRules(list)
  compiled.set(list, made)
  return made
}
