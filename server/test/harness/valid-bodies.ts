/** Makes a body that an operation accepts, from its schema, so that any refusal is about the caller. */
import assert from 'node:assert/strict'
import type { Operation } from '@countersign/contract'
import { z } from 'zod'
import { fieldsOf, formsOf } from './body-fields.ts'

/** Values for fields whose format a schema does not show, or which must fit other fields. */
const words: Readonly<Record<string, unknown>> = {
  amount: '5',
  balance: '5',
  channel: 'sms',
  client_ip: '81.2.69.142',
  code: '123456',
  countries: null,
  default: { sms: '1', whatsapp: '1', telegram: '1', email: '1', whatsapp_reply: '1' },
  default_locale: 'en',
  email: 'somebody.new@example.com',
  kind: 'server',
  locale: 'en',
  name: 'Taken over',
  recipient: '+447400999999',
  since: '2026-01-01T00:00:00Z',
  url: 'http://127.0.0.1:9/taken-over',
}

/** Fields whose values can only come from an earlier answer. */
const ofAnswers = ['company_id', 'cursor']

/** Operations in which a field needs another value. */
const special: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  createProvider: {
    channel: 'email',
    kind: 'smtp',
    settings: { host: '127.0.0.1', port: 25, from: 'a@example.com' },
    countries: null,
  },
  updateProvider: { settings: { from: 'taken@over.example' }, countries: null },
  dryRunProvider: { to: '+447400999999', text: 'Your code is 123456' },
  putAlerts: { channels: [], rules: {} },
  putOperatorAlerts: { channels: [], rules: {} },
  putRules: { revision: 0, rules: [] },
  backtestRules: { rules: [], from: '2026-01-01T00:00:00Z', to: '2026-01-02T00:00:00Z' },
  exceptVerification: { kind: 'blocked' },
  exceptRecipient: { kind: 'blocked' },
  putPrices: { countries: {}, currency: 'EUR' },
}

type Schema = Readonly<Record<string, unknown>>

export function validBody(name: string, operation: Operation): Readonly<Record<string, unknown>> | undefined {
  const { body } = operation
  if (!body) return undefined
  const schema = z.toJSONSchema(body, { io: 'input', unrepresentable: 'any' }) as Schema
  const properties = (schema.properties ?? {}) as Readonly<Record<string, Schema>>
  const made = Object.fromEntries(
    fieldsOf(body)
      .filter((field) => !ofAnswers.includes(field))
      .flatMap((field) => {
        const known = special[name]?.[field] ?? words[field]
        const value = known === undefined ? sample(properties[field] ?? {}) : known
        return value === undefined || !fits(body, field, value) ? [] : [[field, value] as const]
      }),
  )
  const parsed = body.safeParse(made)
  assert.ok(parsed.success, `this suite has no valid body for ${name}: ${parsed.error?.message}`)
  return made
}

const fits = (body: z.ZodType, field: string, value: unknown) =>
  formsOf(body).some(({ shape }) => (shape[field] as z.ZodType).safeParse(value).success)

/** The simplest value of a schema; undefined if it has to be in the lists above. */
function sample(schema: Schema): unknown {
  const choices = (schema.anyOf ?? schema.oneOf) as Schema[] | undefined
  if (choices) return choices.map(sample).find((value) => value !== undefined)
  if (schema.const !== undefined) return schema.const
  if (Array.isArray(schema.enum)) return schema.enum[0]
  switch (schema.type) {
    case 'boolean':
      return true
    case 'integer':
    case 'number':
      return typeof schema.minimum === 'number' ? schema.minimum : 1
    case 'string':
      return 'x'.repeat(typeof schema.minLength === 'number' ? Math.max(schema.minLength, 1) : 1)
    default:
      return undefined
  }
}
