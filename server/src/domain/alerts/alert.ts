/**
 * An alert is about a state: a rule and its subject. It is sent once when the state begins and once when it is over,
 * however many nodes look and however often.
 *
 *   begins     a check finds it → a row in `alert_states` and a notice for each channel, in one commit
 *   is over    no check has found it for two minutes → the row goes, and each channel that was told is told again
 *
 * A notice waits until the state has lasted as long as its rule demands, and for the end of quiet hours if the rule has
 * them. If the state is over by then, nothing is sent.
 */
import {
  type AlertChannel,
  type AlertRuleName,
  type AttentionAnswer,
  alertDefaults,
  alertRuleNames,
  alertUnits,
  putAlertsBody,
} from '@countersign/contract'
import type { Keyring } from '../../platform/keyring.ts'
import type { Owner } from '../../platform/tenant.ts'
import type { Secrets } from '../webhooks/index.ts'

export interface RuleSetting {
  readonly enabled: boolean
  readonly threshold: number
  /** Whether the quiet hours of channels apply to this rule. */
  readonly quiet_hours: boolean
  /** Whether channels are also told when the state is over. */
  readonly recovery: boolean
}
export type RuleSettings = Readonly<Record<AlertRuleName, RuleSetting>>

export interface AlertSettings {
  readonly channels: readonly AlertChannel[]
  readonly rules: RuleSettings
}

/** A state that exists now. */
export interface Finding {
  readonly rule: AlertRuleName
  /** What the state is about: an app, an account, a country. No two findings of a rule have the same subject. */
  readonly subject: string
  readonly severity: AttentionAnswer['items'][number]['severity']
  readonly message: string
}

export interface Alert extends Finding {
  readonly since: Date
}

type Given = Readonly<Partial<Record<AlertRuleName, GivenRule>>>
interface GivenRule extends Omit<RuleSetting, 'threshold'> {
  readonly threshold?: number | null | undefined
}

export function completeRules(given: Given): RuleSettings {
  const entries = alertRuleNames.map((name): [AlertRuleName, RuleSetting] => [
    name,
    {
      enabled: given[name]?.enabled ?? true,
      threshold: given[name]?.threshold ?? alertDefaults[name],
      quiet_hours: given[name]?.quiet_hours ?? true,
      recovery: given[name]?.recovery ?? true,
    },
  ])
  // Every name has its entry, but the compiler cannot see that.
  return Object.fromEntries(entries) as RuleSettings
}

const minuteMs = 60_000
/** The check itself counts the minutes of this rule, from when the account began to fail. */
const countedByCheck: AlertRuleName = 'failing_provider'

/** How long a state must last before channels are told of it. */
export const lastsMs = (rule: AlertRuleName, { threshold }: RuleSetting): number =>
  rule === countedByCheck || rule in alertUnits ? 0 : threshold * minuteMs

export function openSettings(
  keyring: Keyring,
  {
    ownerId,
    channels,
    rules,
  }: { readonly ownerId: Owner; readonly channels: Buffer; readonly rules: unknown },
): AlertSettings {
  const opened: unknown = JSON.parse(keyring.open(channels, channelsContext(ownerId)))
  const parsed = putAlertsBody.parse({ channels: opened, rules })
  return { channels: parsed.channels, rules: completeRules(parsed.rules) }
}

/** The secrets that sign webhooks; null before the first webhook is set. */
export function openSecrets(
  keyring: Keyring,
  ownerId: Owner,
  { secret, previousSecret }: { readonly secret: Buffer | null; readonly previousSecret: Buffer | null },
): Secrets | null {
  const open = (sealed: Buffer) => keyring.open(sealed, secretContext(ownerId))
  return secret && { current: open(secret), previous: previousSecret && open(previousSecret) }
}

export const secretContext = (owner: Owner) => `alert secret of ${owner}`
export const channelsContext = (owner: Owner) => `alert channels of ${owner}`
