/** Ranges of numbers that get no codes any more. They are prefixes of a rule of the app's own, which is asked first. */
import { ruleBounds } from '#contract'
import type { RuleDraft } from './rule-values.ts'

const ruleName = 'Never here'

/** The prefixes of a rule that refuses them and has no other condition. */
function refusedBy({ mode, when, then }: RuleDraft): readonly string[] {
  const isOnlyPrefix = Object.keys(when).every((condition) => condition === 'prefix')
  return mode === 'on' && then.action === 'refuse' && isOnlyPrefix ? (when.prefix ?? []) : []
}

export const isNever = (rules: readonly RuleDraft[], prefix: string): boolean =>
  rules.some((rule) => refusedBy(rule).includes(prefix))

const isOurs = ({ name }: RuleDraft) => name === ruleName || name.startsWith(`${ruleName} `)

export function withNever(rules: readonly RuleDraft[], prefix: string): RuleDraft[] {
  if (isNever(rules, prefix)) return [...rules]
  const isRoom = (rule: RuleDraft) => {
    const { length } = refusedBy(rule)
    return isOurs(rule) && length > 0 && length < ruleBounds.prefixes
  }
  const kept = rules.find(isRoom)
  if (!kept) return [neverRule(freeName(rules), prefix), ...rules]
  return rules.map((rule) =>
    rule === kept ? { ...rule, when: { prefix: [...refusedBy(rule), prefix] } } : rule,
  )
}

/** Undoes `withNever`. A rule that somebody has changed into something else stays. */
export const withoutNever = (rules: readonly RuleDraft[], prefix: string): RuleDraft[] =>
  rules.flatMap((rule) => {
    const refused = refusedBy(rule)
    if (!isOurs(rule) || !refused.includes(prefix)) return [rule]
    const left = refused.filter((one) => one !== prefix)
    return left.length === 0 ? [] : [{ ...rule, when: { prefix: left } }]
  })

const neverRule = (name: string, prefix: string): RuleDraft => ({
  name,
  mode: 'on',
  when: { prefix: [prefix] },
  then: { action: 'refuse' },
})

function freeName(rules: readonly RuleDraft[]): string {
  const taken = new Set(rules.map(({ name }) => name))
  if (!taken.has(ruleName)) return ruleName
  let number = 2
  while (taken.has(`${ruleName} ${number}`)) number++
  return `${ruleName} ${number}`
}
