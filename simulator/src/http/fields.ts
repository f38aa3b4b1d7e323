import { type FieldProblem, invalidFields } from './refusal.ts'

/** Returns the value, or a message that says what it should have been. */
export type Parser<T> = (value: unknown) => { readonly value: T } | { readonly message: string }

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Reads the fields of a body one by one and refuses it once, with all its problems. */
export class FieldReader {
  readonly #body: Record<string, unknown>
  readonly #problems: FieldProblem[] = []

  constructor(body: unknown, known: readonly string[]) {
    if (!isRecord(body)) throw invalidFields([{ path: '', message: 'must be a JSON object' }])
    this.#body = body
    for (const path of Object.keys(body)) {
      if (!known.includes(path)) this.#problems.push({ path, message: 'is not a known field' })
    }
  }

  /** The placeholder only fills the type: a body with a problem is refused by `finish`. */
  read<T>(path: string, parse: Parser<T>, placeholder: T): T {
    const result = parse(this.#body[path])
    if ('value' in result) return result.value
    this.#problems.push({ path, message: result.message })
    return placeholder
  }

  finish(): void {
    if (this.#problems.length > 0) throw invalidFields(this.#problems)
  }
}
