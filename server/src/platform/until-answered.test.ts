import assert from 'node:assert/strict'
import { test } from 'node:test'
import { asUnavailable } from './database.ts'
import { untilAnswered } from './until-answered.ts'

const timeout = () => asUnavailable(new Error('timeout exceeded when trying to connect'))
const refused = () => asUnavailable(Object.assign(new Error('no'), { code: 'ECONNREFUSED' }))

/** Fails with each of these errors in turn, then succeeds. */
function failing(...errors: unknown[]) {
  return async () => {
    if (errors.length > 0) throw errors.shift()
    return errors.length
  }
}

test('a step that a busy database has not answered in time is repeated', async () => {
  let waits = 0
  const waiting = { progress: () => waits++, signal: new AbortController().signal }
  assert.equal(await untilAnswered(failing(timeout(), timeout()), waiting), 0)
  assert.equal(waits, 2)
})

test('any other failure ends it at once', async () => {
  const progress = () => assert.fail('it was repeated')
  for (const error of [refused(), new Error('a bug')])
    await assert.rejects(
      untilAnswered(failing(error), { progress, signal: new AbortController().signal }),
      error as Error,
    )
})

test('a stop ends the wait', async () => {
  const stop = new AbortController()
  const waiting = { progress: () => stop.abort(), signal: stop.signal }
  await assert.rejects(untilAnswered(failing(timeout(), timeout(), timeout()), waiting), {
    name: 'AbortError',
  })
})
