/** Bodies with as many wrong values as fit, in every place: all are reported within 50 ms. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Operation, operations, parseBody } from '@countersign/contract'
import { z } from 'zod'
import { parseJson } from '../../src/http/parse-json.ts'
import { formsOf } from '../harness/body-fields.ts'
import { assertPrompt } from './adversary.ts'
import { apiBody } from './limits.ts'

/** Almost as many values as a body may have, leaving room for what surrounds them. */
const most = 1_990
const wrongList = Array.from({ length: most }, () => 'x')
const wrongObject = Object.fromEntries(wrongList.map((value, index) => [`x${index}`, value]))

/** Wrong values at the end of every path through a schema. */
function* wrongIn(schema: z.ZodType): Generator<unknown> {
  const inner = bare(schema)
  yield wrongList
  yield wrongObject
  if (inner instanceof z.ZodObject)
    for (const [name, field] of Object.entries<z.ZodType>(inner.shape))
      for (const wrong of wrongIn(field)) yield { [name]: wrong }
  if (inner instanceof z.ZodRecord)
    for (const wrong of wrongIn(inner.def.valueType as z.ZodType)) yield { GB: wrong }
  if (inner instanceof z.ZodArray) for (const wrong of wrongIn(inner.def.element as z.ZodType)) yield [wrong]
}

function bare(schema: z.ZodType): z.ZodType {
  const isWrapped =
    schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault
  return isWrapped ? bare(schema.def.innerType as z.ZodType) : schema
}

describe('values that are wrong, as many as there may be', () => {
  for (const [name, { body }] of Object.entries<Operation>(operations)) {
    for (const [index, form] of formsOf(body).entries())
      it(`${name}${index > 0 ? `, form ${index + 1}` : ''}: hold the process for less than 50 ms`, () => {
        for (const wrong of wrongIn(form)) {
          const text = JSON.stringify(wrong)
          assertPrompt(text.slice(0, 60), () => body && parseBody(body, parseJson(text)))
        }
      })
  }

  it('and more than that are refused before they are looked at', () => {
    for (const body of [
      { routing: { default: Array.from({ length: apiBody / 5 }, () => 'x') } },
      { routing: { countries: Object.fromEntries(wrongList.map((_, index) => [`x${index}`, ['x']])) } },
    ])
      assert.throws(() => parseJson(JSON.stringify(body)), {
        details: { fields: [{ path: '', message: 'has more than 2000 values in it' }] },
      })
  })
})
