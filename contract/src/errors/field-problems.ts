/** What a schema finds wrong, field by field, in words that follow the field's name: `must be at least 4`. */
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
    : { data: null, problems: problemsAmong(parsed.error.issues) }
}

/** Bounded, since removing a null copies the objects around it. */
const mostNulls = 100

/** An optional field of a body may be null, which means absent: if null is refused, the field is removed. */
export function parseBody<Value>(schema: z.ZodType<Value>, body: unknown): Parsed<Value> {
  const parsed = schema.safeParse(body, inPlainWords)
  if (parsed.success) return { data: parsed.data, problems: null }
  const nulls = parsed.error.issues.map(({ path }) => path).filter((path) => valueAt(body, path) === null)
  if (nulls.length === 0 || nulls.length > mostNulls) {
    return { data: null, problems: problemsAmong(parsed.error.issues) }
  }
  return parseFields(schema, nulls.reduce(without, body))
}

const isObject = (value: unknown): value is Record<PropertyKey, unknown> =>
  typeof value === 'object' && value !== null

const valueAt = (value: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce((within, name) => (isObject(within) ? within[name] : undefined), value)

/** Entries of a list are not removed, since the others would move up. */
function without(value: unknown, [name, ...rest]: readonly PropertyKey[]): unknown {
  if (name === undefined || !isObject(value)) return value
  if (Array.isArray(value)) {
    return rest.length === 0 ? value : value.with(Number(name), without(value[Number(name)], rest))
  }
  if (rest.length > 0) return { ...value, [name]: without(value[name], rest) }
  const { [name]: _, ...kept } = value
  return kept
}

/** A value of the wrong type is reported only for that: a bound on the length of a text means nothing for a list. */
function problemsAmong(issues: readonly z.core.$ZodIssue[]): FieldProblem[] {
  const placeOf = ({ path }: z.core.$ZodIssue) => path.map(String).join('.')
  const mistyped = new Set(issues.filter(({ code }) => code === 'invalid_type').map(placeOf))
  return issues
    .filter((issue) => issue.code === 'invalid_type' || !mistyped.has(placeOf(issue)))
    .flatMap(problemsOf)
}

/** An unknown key is named itself, not only the object that contains it. */
function problemsOf(issue: z.core.$ZodIssue): FieldProblem[] {
  const path = issue.path.map(String)
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({ path: [...path, key].join('.'), message: unknownField }))
  }
  if (issue.code === 'invalid_union' && issue.errors.length > 0) return unionProblems(issue, path)
  return [{ path: path.join('.'), message: issue.message }]
}

/** In a union the form that fits best says what is wrong; if none fits at all, each says what it accepts. */
function unionProblems({ errors }: z.core.$ZodIssueInvalidUnion, path: readonly string[]): FieldProblem[] {
  const within = (problems: readonly FieldProblem[]) =>
    problems.map((problem) => ({
      path: [...path, problem.path].filter((part) => part !== '').join('.'),
      message: problem.message,
    }))
  const forms = errors.map(problemsAmong)
  const near = forms.find((problems) => problems.every((problem) => problem.path !== ''))
  if (near) return within(near)
  const messages = new Set(forms.flatMap(([first]) => (first ? [first.message] : [])))
  return within([{ path: '', message: [...messages].join(', or ') }])
}

/** The message for an unknown field, in a body or a query. */
export const unknownField = 'is not a field of this call'

/** Used only if the schema has no message of its own. */
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
      return valueMessage(issue.values)
    case 'invalid_union':
      return valueMessage(Array.isArray(issue.options) ? issue.options : [])
    case 'invalid_key':
      return issue.issues[0]?.message
    case 'invalid_format':
      return formatMessage(issue)
    default:
      return undefined
  }
}

const valueMessage = (values: readonly unknown[]) =>
  `must be ${values.length > 1 ? 'one of ' : ''}${values.map(String).join(', ')}`

function formatMessage({ format, pattern }: Raw<z.core.$ZodIssueInvalidStringFormat>): string {
  if (format === 'datetime') return 'must be a time with its zone, such as 2026-01-31T12:00:00Z'
  return pattern === undefined ? `must be of the form ${format}` : `must match ${pattern}`
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
