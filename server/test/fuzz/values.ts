/** Values for an OpenAPI schema: good ones, and bad ones of the kinds that have broken other programs. */
import type { Random } from './random.ts'

export interface Schema {
  readonly type?: string
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly additionalProperties?: boolean | Schema
  readonly maxLength?: number
  readonly format?: string
  readonly $ref?: string
}

/** All addresses lead to this machine or nowhere, because the service may call them. */
const texts = [
  '',
  ' ',
  '0',
  '+447400123456',
  '+0',
  'somebody@example.com',
  'a@b',
  '127.0.0.1',
  '::1',
  'http://127.0.0.1:9/hook',
  'https://nowhere.invalid/',
  'sms',
  'en',
  'pt-BR',
  'GB',
  '123456',
  '１２３４５６',
  '1e308',
  '-1',
  'NaN',
  'null',
  'true',
  '2026-01-01T00:00:00Z',
  '2026-02-30T25:61:61Z',
  '9999-12-31T23:59:59Z',
  '0001-01-01T00:00:00Z',
  '\u0000',
  'a\u0000b',
  '\ud800',
  '\u202e',
  '😀'.repeat(20),
  'é'.normalize('NFD'),
  "' or 1=1 --",
  '{{code}}',
  '%{code}',
  '../../etc/passwd',
  '%00',
  '%',
  '__proto__',
  'constructor',
  'x'.repeat(129),
  'x'.repeat(10_000),
  '9'.repeat(400),
] as const satisfies readonly string[]

const oddities = [
  null,
  true,
  0,
  -1,
  1.5,
  1e308,
  Number.MAX_SAFE_INTEGER,
  [],
  [[]],
  {},
  { toString: 'x' },
  ...texts,
] as const

const deepest = 4
/** Fields that need a valid number, or no call gets past the first rule. */
const recipients: ReadonlySet<string> = new Set(['recipient', 'To', 'to'])

export class Values {
  readonly #random: Random
  readonly #resolve: (ref: string) => Schema
  /** Ids and similar values from earlier answers, by the name of their field. */
  readonly #known: ReadonlyMap<string, readonly string[]>

  constructor(
    random: Random,
    resolve: (ref: string) => Schema,
    known: ReadonlyMap<string, readonly string[]>,
  ) {
    this.#random = random
    this.#resolve = resolve
    this.#known = known
  }

  text(name: string): string {
    const known = this.#known.get(name) ?? []
    const [first, ...others] = known
    if (first !== undefined && this.#random.chance(0.7)) return this.#random.pick([first, ...others])
    if (recipients.has(name) && this.#random.chance(0.6))
      return `+447400${100_000 + this.#random.below(900_000)}`
    return this.#random.pick(texts)
  }

  odd(): unknown {
    return this.#random.pick(oddities)
  }

  /** Mostly as the schema says, so that the call gets past the first check. */
  of(schema: Schema, name: string, depth = 0): unknown {
    if (this.#random.chance(0.08)) return this.odd()
    if (schema.$ref) return this.of(this.#resolve(schema.$ref), name, depth)
    if (schema.const !== undefined) return schema.const
    const [choice, ...choices] = schema.enum ?? schema.anyOf ?? schema.oneOf ?? []
    if (choice !== undefined) {
      const picked = this.#random.pick([choice, ...choices])
      return schema.enum ? picked : this.of(picked as Schema, name, depth)
    }
    if (schema.allOf) return Object.assign({}, ...schema.allOf.map((each) => this.of(each, name, depth)))
    if (depth > deepest) return null
    return this.#ofType(schema, name, depth)
  }

  #ofType(schema: Schema, name: string, depth: number): unknown {
    switch (schema.type) {
      case 'object':
        return this.#object(schema, depth)
      case 'array':
        return Array.from({ length: this.#random.below(4) }, () =>
          this.of(schema.items ?? {}, name, depth + 1),
        )
      case 'integer':
        return this.#random.pick([0, 1, 5, 60, 3_600, -1, 2_147_483_648, this.#random.below(1_000)])
      case 'number':
        return this.#random.pick([0, 0.5, 1, -1, 1e21])
      case 'boolean':
        return this.#random.chance(0.5)
      case 'null':
        return null
      case 'string':
        return this.text(name)
      default:
        return this.odd()
    }
  }

  #object(schema: Schema, depth: number): unknown {
    const made = new Map<string, unknown>()
    for (const [field, each] of Object.entries(schema.properties ?? {})) {
      const isNeeded = schema.required?.includes(field)
      if (this.#random.chance(isNeeded ? 0.97 : 0.5)) made.set(field, this.of(each, field, depth + 1))
    }
    if (typeof schema.additionalProperties === 'object')
      for (let count = this.#random.below(3); count > 0; count--)
        made.set(this.text('key'), this.of(schema.additionalProperties, 'value', depth + 1))
    if (this.#random.chance(0.03)) made.set(this.text('key'), this.odd())
    return Object.fromEntries(made)
  }
}

/** A value in the form that a query or a form has. */
export const written = (value: unknown) => (typeof value === 'object' ? JSON.stringify(value) : String(value))

export const formOf = (value: unknown) =>
  String(
    new URLSearchParams(
      Object.entries(Object(value)).map(([name, each]): [string, string] => [name, written(each)]),
    ),
  )
