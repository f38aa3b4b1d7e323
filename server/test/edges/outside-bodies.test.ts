/** Bodies, queries, settings and templates, up to their limits and with as many mistakes as fit, are judged at once. */
import { describe, it } from 'node:test'
import { kindsOfProvider, type Operation, operations, parseFields } from '@countersign/contract'
import { providerKinds } from '../../src/channels/index.ts'
import { validationError } from '../../src/domain/answers/index.ts'
import { tryMessage } from '../../src/domain/messages/index.ts'
import { fieldsOf, formsOf } from '../harness/body-fields.ts'
import { assertPrompt, repeated, seeds } from './adversary.ts'
import { apiBody } from './limits.ts'

/** Every field of a body with every text, and a few shapes that make many mistakes at once. */
function bodiesOf(names: readonly string[], text: string): unknown[] {
  const half = text.slice(0, apiBody / 2)
  return [
    ...names.flatMap((name) => [
      { [name]: half },
      { [name]: [half, ...half.slice(0, 2_000)] },
      { [name]: { [half.slice(0, 1_000)]: half } },
    ]),
    Object.fromEntries(names.map((name) => [name, half.slice(0, 1_000)])),
  ]
}

const manyMistakes = (names: readonly string[]) => {
  const list = Array.from({ length: apiBody / 3 }, () => '')
  const object = Object.fromEntries(Array.from({ length: apiBody / 12 }, (_, index) => [`k${index}`, 0]))
  return [...names.flatMap((name) => [{ [name]: list }, { [name]: object }]), list, object]
}

describe('a body or query holds the process for less than 50 ms', () => {
  for (const [name, operation] of Object.entries<Operation>(operations)) {
    for (const [part, schema] of [['body', operation.body] as const, ['query', operation.query] as const]) {
      if (!schema) continue
      it(`the ${part} of ${name}`, () => {
        const fields = fieldsOf(schema)
        for (const form of new Set([schema, ...formsOf(schema)])) {
          const judge = (value: unknown) => {
            const { problems } = parseFields(form, value)
            if (problems) validationError(problems)
          }
          for (const value of manyMistakes(fields)) assertPrompt('many mistakes', () => judge(value))
          for (const seed of seeds) {
            for (const value of bodiesOf(fields, repeated(seed, apiBody))) {
              assertPrompt(JSON.stringify(seed), () => judge(value))
            }
          }
        }
      })
    }
  }

  for (const kind of Object.values(providerKinds)) {
    it(`the settings of an account of ${kind.kind}`, () => {
      const names = Object.keys(kindsOfProvider[kind.kind].fields.shape)
      for (const seed of seeds) {
        for (const value of bodiesOf(names, repeated(seed, apiBody))) {
          assertPrompt(JSON.stringify(seed), () => kind.settings.safeParse(value))
        }
      }
    })
  }

  it('a template of an app', () => {
    for (const seed of seeds) {
      for (const channel of ['sms', 'whatsapp', 'email'] as const) {
        assertPrompt(`${channel}: ${JSON.stringify(seed)}`, () =>
          tryMessage({
            channel,
            locale: 'en',
            template: {
              text: repeated(seed, 4_096),
              subject: repeated(seed, 200),
              html: repeated(seed, 50_000),
            },
            appName: 'ACME',
            codeLength: 6,
            codeTtlSeconds: 600,
            autofill: null,
          }),
        )
      }
    }
  })
})
