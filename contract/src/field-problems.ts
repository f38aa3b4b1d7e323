/** What a schema finds wrong, field by field, in words that go on after the field's name: `must be at least 4`. */
import type { z } from 'zod'

export interface FieldProblem {
  readonly path: string
  readonly message: string
}

type Issue = z.core.$ZodIssue

/** An unknown key is named itself, not only the object it stands in. */
export function problemsOf(issue: Issue): FieldProblem[] {
  const path = issue.path.map(String)
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({ path: [...path, key].join('.'), message: unknownField }))
  }
  return [{ path: path.join('.'), message: plainMessage(issue) }]
}

/** Said of an unknown field, in a body and in a query alike. */
export const unknownField = 'is not a field of this call'

/** What the contract says itself stays as it is; only the words of the schema library are replaced. */
export function plainMessage(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type':
      return typeMessage(issue.message)
    case 'too_small':
      return issue.message.startsWith('Too small') ? smallMessage(issue) : issue.message
    case 'too_big':
      return issue.message.startsWith('Too big') ? bigMessage(issue) : issue.message
    case 'invalid_value':
      if (!/^Invalid (?:input|option)/.test(issue.message)) return issue.message
      return `must be ${issue.values.length > 1 ? 'one of ' : ''}${issue.values.map(String).join(', ')}`
    case 'invalid_key':
      return issue.issues[0] ? plainMessage(issue.issues[0]) : issue.message
    case 'invalid_format':
      return issue.message === 'Invalid ISO datetime'
        ? 'must be a time with its zone, such as 2026-01-31T12:00:00Z'
        : issue.message
    default:
      return issue.message
  }
}

function typeMessage(message: string): string {
  const [, expected, received] = /expected (\w+), received (\w+)/.exec(message) ?? []
  if (received === 'undefined') return 'is required'
  if (expected === 'int') return 'must be a whole number'
  return `must be of type ${expected === 'record' ? 'object' : expected}`
}

/** The unit that a bound counts, after the number. */
const units: Readonly<Record<string, string>> = { string: ' characters', array: ' entries' }

function smallMessage({ origin, minimum }: z.core.$ZodIssueTooSmall): string {
  const unit = units[origin]
  if (unit === undefined) return `must be at least ${minimum}`
  return minimum === 1 ? 'must not be empty' : `must have at least ${minimum}${unit}`
}

function bigMessage({ origin, maximum }: z.core.$ZodIssueTooBig): string {
  const unit = units[origin]
  return unit === undefined ? `must be at most ${maximum}` : `must have at most ${maximum}${unit}`
}
