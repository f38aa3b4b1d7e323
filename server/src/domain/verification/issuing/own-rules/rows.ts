/** What an app's own rules count: rows of `limits`, read and written with the others of a batch. */
import type { RuleAction } from '@countersign/contract'
import { isCountable, type LimitRow, limitKeyOf } from '../../../guard/index.ts'
import type { CompiledRule, CompiledRules } from './compile.ts'
import type { CountedOf } from './conditions.ts'

export interface CountedRecipient {
  readonly appId: string
  readonly recipientHash: Buffer
  readonly ipKey: string | null
}

/** How long sends to the recipient pass once the wait is over. */
const openSeconds = 86_400

/** Every row that the rules may look at for this recipient. */
export const ownRowsOf = (compiled: CompiledRules | null, person: CountedRecipient): LimitRow[] =>
  compiled
    ? [
        ...sendRowsOf(compiled, person),
        ...compiled.rules.flatMap((rule) => {
          if (rule.then.action === 'hold') return [holdRow(rule, rule.then, person)]
          return rule.then.action === 'limit' ? [limitRow(rule, rule.then, person)] : []
        }),
      ]
    : []

/** The rows in which each accepted send is counted. */
export const sendRowsOf = (compiled: CompiledRules, person: CountedRecipient): LimitRow[] =>
  (['recipient', 'address', 'app'] as const).flatMap((of) => sendRow(compiled, of, person) ?? [])

/** Null if no rule counts these sends, or there is no address to count for. */
export function sendRow(
  { countedSeconds }: CompiledRules,
  of: CountedOf,
  { appId, recipientHash, ipKey }: CountedRecipient,
): LimitRow | null {
  const tail = { recipient: recipientHash, address: ipKey, app: '' }[of]
  if (countedSeconds[of] === 0 || tail === null) return null
  return rowOf(limitKeyOf(`own-sends:${appId}:${of}`, tail), countedSeconds[of])
}

/** The row holds one time: that of the first try that was held. */
export const holdRow = (
  { ruleId }: CompiledRule,
  { minutes }: Extract<RuleAction, { action: 'hold' }>,
  { appId, recipientHash }: CountedRecipient,
): LimitRow => rowOf(limitKeyOf(`own-hold:${appId}:${ruleId}`, recipientHash), minutes * 60 + openSeconds)

/** Counts all sends that the rule matches; a maximum too high to count one by one is a rate. */
export function limitRow(
  { ruleId }: CompiledRule,
  { max, window_s }: Extract<RuleAction, { action: 'limit' }>,
  { appId }: CountedRecipient,
): LimitRow {
  const windows = [{ max, window_s }]
  return isCountable({ max, window_s })
    ? { ...rowOf(limitKeyOf(`own-limit:${appId}`, ruleId), window_s), windows }
    : { ...rowOf(limitKeyOf(`own-rate:${appId}:${window_s}`, ruleId), window_s), windows, kind: 'rate' }
}

const rowOf = (key: Buffer, keepSeconds: number): LimitRow => ({
  kind: 'counted',
  key,
  windows: [],
  isCharged: true,
  keepSeconds,
})
