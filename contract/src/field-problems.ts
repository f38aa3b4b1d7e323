/** What a schema finds wrong, field by field, in words that go on after the field's name: `must be at least 4`. */
import type { z } from 'zod'

export interface FieldProblem {
  readonly path: string
  readonly message: string
}

export type Parsed<Value> =
  | { readonly data: Value; readonly problems: null }
  | { readonly data: null; readonly problems: readonly FieldProblem[] }

export function parseFields<Value>(schema: z.ZodType<Value>, value: unknown): Parsed<Value> {
  const parsed = schema.safeParse(value, inPlainWords)
  return parsed.success
    ? { data: parsed.data, problems: null }
    : { data: null, problems: parsed.error.issues.flatMap(problemsOf) }
}

/** An unknown key is named itself, not only the object it stands in. */
function problemsOf(issue: z.core.$ZodIssue): FieldProblem[] {
  const path = issue.path.map(String)
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({ path: [...path, key].join('.'), message: unknownField }))
  }
  return [{ path: path.join('.'), message: issue.message }]
}

/** Said of an unknown field, in a body and in a query alike. */
export const unknownField = 'is not a field of this call'

/** Asked only where the schema has no words of its own. */
const inPlainWords = { error: plainMessage }

function plainMessage(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return typeMessage(issue)
    case 'too_small':
      return smallMessage(issue)
    case 'too_big':
      return bigMessage(issue)
    case 'invalid_value':
      return `must be ${issue.values.length > 1 ? 'one of ' : ''}${issue.values.map(String).join(', ')}`
    case 'invalid_key':
      return issue.issues[0]?.message
    case 'invalid_format':
      return issue.format === 'datetime'
        ? 'must be a time with its zone, such as 2026-01-31T12:00:00Z'
        : undefined
    default:
      return undefined
  }
}

function typeMessage({ expected, input }: Raw<z.core.$ZodIssueInvalidType>): string {
  if (input === undefined) return 'is required'
  if (expected === 'int') return 'must be a whole number'
  return `must be of type ${expected === 'record' ? 'object' : expected}`
}

/** The unit that a bound counts, after the number. */
const units: Readonly<Record<string, string>> = { string: ' characters', array: ' entries' }

function smallMessage({ origin, minimum }: Raw<z.core.$ZodIssueTooSmall>): string {
  const unit = units[origin]
  if (unit === undefined) return `must be at least ${minimum}`
  return minimum === 1 ? 'must not be empty' : `must have at least ${minimum}${unit}`
}

function bigMessage({ origin, maximum }: Raw<z.core.$ZodIssueTooBig>): string {
  const unit = units[origin]
  return unit === undefined ? `must be at most ${maximum}` : `must have at most ${maximum}${unit}`
}

/** An issue of the schema library that has no message yet. */
type Raw<Issue extends z.core.$ZodIssueBase> = z.core.$ZodRawIssue<Issue>
