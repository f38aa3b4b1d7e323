/** What is wrong with a form's values: found by the contract before sending, or reported by the service. */
import type { FieldProblem } from '@countersign/contract'
import { parseFields } from '@countersign/contract/bodies'
import { withFullStop } from '../api-error.ts'
import { notWhole, waysToRead } from './typed-number.ts'

type Schema = Parameters<typeof parseFields>[0]

/** Finds the problems of a body by a schema of the contract. */
export const against =
  (schema: Schema) =>
  (body: unknown): readonly FieldProblem[] =>
    parseFields(schema, body).problems ?? []

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null

const valueAt = (body: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>((value, key) => (isObject(value) ? value[key] : undefined), body)

const sayOfValues =
  (messageOf: (value: unknown) => string | undefined) =>
  (problems: readonly FieldProblem[], body: unknown): readonly FieldProblem[] =>
    problems.map((problem) => ({
      ...problem,
      message: messageOf(valueAt(body, problem.path)) ?? problem.message,
    }))

/**
 * An empty field is null, or `NaN` for a number. It is reported as missing, not as a wrong type; and what cannot be read
 * as a whole number as that.
 */
export const sayMissing = sayOfValues((value) => {
  if (value === null || Number.isNaN(value)) return 'is required'
  return value === notWhole ? 'must be a whole number' : undefined
})

/** An amount that can be read in two ways is reported with both. */
export const sayTwofold = sayOfValues((value) => {
  const ways = typeof value === 'string' ? waysToRead(value) : null
  return ways ? `can be read in two ways: write ${ways[0]}, or ${ways[1]}` : undefined
})

/** Thrown for a problem of a field if the service's answer says no without being an error. */
export class Refused extends Error {
  readonly fields: readonly FieldProblem[]

  constructor(path: string, message: string) {
    super(message)
    this.fields = [{ path, message }]
  }
}

const isInside = (path: string, outer: string) => path === outer || path.startsWith(`${outer}.`)

/** The field beside which a problem is shown: the one that it is about or inside of, else the first inside of it. */
export function ownerOf(path: string, names: readonly string[]): string | undefined {
  const around = names.filter((name) => isInside(path, name))
  if (around.length > 0) return around.reduce((best, name) => (name.length > best.length ? name : best))
  return path === '' ? undefined : names.find((name) => isInside(name, path))
}

interface Sorted {
  /** The first problem of each field. */
  readonly beside: ReadonlyMap<string, string>
  /** Problems of values that have no field in the form. */
  readonly others: readonly FieldProblem[]
}

export function sortProblems(problems: readonly FieldProblem[], names: readonly string[]): Sorted {
  const beside = new Map<string, string>()
  const others: FieldProblem[] = []
  for (const problem of problems) {
    const owner = ownerOf(problem.path, names)
    if (owner === undefined) others.push(problem)
    else if (!beside.has(owner)) beside.set(owner, problem.message)
  }
  return { beside, others }
}

/** A message that follows the field's name begins in lower case, as in `must be …`; a whole sentence with a capital. */
export function sayProblem(label: string, message: string): string {
  const goesOn = message.charAt(0) !== message.charAt(0).toUpperCase()
  return withFullStop(goesOn ? `${label} ${message}` : message)
}

/** The contract names fields between backticks; a page has labels for them. */
export const withLabels = (message: string, labelOf: (name: string) => string | undefined): string =>
  message.replaceAll(/`([\w.]+)`/g, (_, name: string) => labelOf(name) ?? name)
