/** Bodies, queries, settings and templates are judged at once, up to their limits and with as many mistakes as fit. */
import { describe, it } from 'node:test'
import { kindsOfProvider, type Operation, operations, parseFields } from '@countersign/contract'
import { providerKinds } from '../../src/channels/index.ts'
import { validationError } from '../../src/domain/answers/index.ts'
import { tryMessage } from '../../src/domain/messages/index.ts'
import { fieldsOf, formsOf } from '../harness/body-fields.ts'
import { assertPrompt, repeated, seeds } from './adversary.ts'
import { apiBody } from './limits.ts'

/** Every text in the shapes that a field may have. Made once, because that takes longer than judging them. */
const values = seeds.map((seed) => {
  const half = repeated(seed, apiBody / 2)
  const short = half.slice(0, 1_000)
  return { seed, short, shapes: [half, [half, ...half.slice(0, 2_000)], { [short]: half }] }
})
type Values = (typeof values)[number]

/** Bodies with such a text in one field, and in all fields at once. */
const bodiesOf = (names: readonly string[], { short, shapes }: Values): unknown[] => [
  ...names.flatMap((name) => shapes.map((shape) => ({ [name]: shape }))),
  Object.fromEntries(names.map((name) => [name, short])),
]

const longList = Array.from({ length: apiBody / 3 }, () => '')
const wideObject = Object.fromEntries(Array.from({ length: apiBody / 12 }, (_, index) => [`k${index}`, 0]))
const manyMistakes = (names: readonly string[]) => [
  ...names.flatMap((name) => [{ [name]: longList }, { [name]: wideObject }]),
  longList,
  wideObject,
]

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
          for (const each of values) {
            for (const body of bodiesOf(fields, each))
              assertPrompt(JSON.stringify(each.seed), () => judge(body))
          }
        }
      })
    }
  }

  for (const kind of Object.values(providerKinds)) {
    it(`the settings of an account of ${kind.kind}`, () => {
      const names = Object.keys(kindsOfProvider[kind.kind].fields.shape)
      for (const each of values) {
        for (const body of bodiesOf(names, each)) {
          assertPrompt(JSON.stringify(each.seed), () => kind.settings.safeParse(body))
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
