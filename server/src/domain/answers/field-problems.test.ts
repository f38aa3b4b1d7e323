import assert from 'node:assert/strict'
import { it } from 'node:test'
import { validationError } from './field-problems.ts'

it('a body with tens of thousands of mistakes is answered with the first hundred, and with how many there are', () => {
  const problems = Array.from({ length: 20_000 }, (_, index) => ({
    path: `list.${index}`,
    message: 'is wrong',
  }))
  const { message, details } = validationError(problems)
  assert.deepEqual(details, { fields: problems.slice(0, 100) })
  assert.equal(message, 'The request is not valid. list.0: is wrong (and 19999 more)')
})
