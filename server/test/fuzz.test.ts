/** A few hundred cases of the fuzzer; `npm run test:fuzz` runs any number. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { providerKinds } from '../src/channels/index.ts'
import { fuzz } from './fuzz/fuzz.ts'
import { processesOf } from './harness/database.ts'
import { startService } from './harness/service.ts'

const cases = 300
/** Other tests share the machine here; the long form allows one second. */
const slowMs = 20_000

test('whatever comes to a route, a callback, a carrier or a mail port is refused or taken, and never breaks anything', async () => {
  const { node, database, close } = await startService({
    role: 'api',
    kinds: new Map(Object.entries(providerKinds)),
    builtIn: () => [],
  })
  try {
    const { failures } = await fuzz(node, {
      seed: 20_261,
      cases,
      atOnce: 4,
      slowMs,
      processes: () => processesOf(database),
    })
    assert.deepEqual(failures, [])
    assert.equal((await node.call('GET', '/readyz')).status, 200)
  } finally {
    await close()
  }
})
