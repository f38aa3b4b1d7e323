/**
 * An alert is about a state: a rule, and what it holds for. It is told once when the state begins and once when it is
 * over, however many nodes look and however often.
 *
 *   begins     a check finds it → a row in `alert_states` and a notice for each channel, in one commit
 *   is over    no check has found it for two minutes → the row goes, and each channel is told, unless it was never told
 *
 * A notice waits for the end of quiet hours. What is over by then is not told at all.
 */
import {
  type AlertChannel,
  type AlertRuleName,
  type AttentionAnswer,
  alertDefaults,
  alertRuleNames,
} from '@countersign/contract'
import type { Owner } from '../../platform/tenant.ts'

export interface RuleSetting {
  readonly enabled: boolean
  readonly threshold: number | null
}
export type RuleSettings = Readonly<Record<AlertRuleName, RuleSetting>>

export interface AlertSettings {
  readonly channels: readonly AlertChannel[]
  readonly rules: RuleSettings
}

/** Something that holds now. */
export interface Finding {
  readonly rule: AlertRuleName
  /** What it holds for: an app, an account, a country. Two findings of a rule have different ones. */
  readonly subject: string
  readonly severity: AttentionAnswer['items'][number]['severity']
  readonly message: string
}

export interface Alert extends Finding {
  readonly since: Date
}

type Given = Readonly<
  Partial<
    Record<AlertRuleName, { readonly enabled: boolean; readonly threshold?: number | null | undefined }>
  >
>

export function completeRules(given: Given): RuleSettings {
  const entries = alertRuleNames.map((name): [AlertRuleName, RuleSetting] => [
    name,
    {
      enabled: given[name]?.enabled ?? true,
      threshold: given[name]?.threshold ?? alertDefaults[name],
    },
  ])
  // Every name has its entry, which the compiler cannot see.
  return Object.fromEntries(entries) as RuleSettings
}

export const secretContext = (owner: Owner) => `alert secret of ${owner}`
export const channelsContext = (owner: Owner) => `alert channels of ${owner}`
