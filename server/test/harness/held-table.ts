/** Makes calls decide in one batch, by holding a table lock until all of them have arrived. */
import { subscribe as listen } from 'node:diagnostics_channel'
import pg from 'pg'
import type { TestDatabase } from './database.ts'
import { until } from './fixtures.ts'
import type { Answer, Node } from './node.ts'

let arrived = 0
listen('http.server.request.start', () => {
  arrived++
})

/** Less than a call waits for a lock. */
const mostHeldMs = 4_000

/** The machine was so slow that calls may have been refused because of the lock: nothing was shown by them. */
export class HeldTooLong extends Error {}

interface Held {
  readonly database: TestDatabase
  readonly node: Node
  /** The keys of the calls, if many are used for the first time: a call joins its batch after its key was read. */
  readonly keys?: readonly string[]
}

export async function whileHeld(
  table: 'companies' | 'verifications',
  { database, node, keys = [] }: Held,
  call: () => Promise<Answer>[],
): Promise<Answer[]> {
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  // Keys are read before the lock is taken, because a call that waits for the table too long is refused.
  await askFor(node, keys)
  const heldSinceMs = performance.now()
  await client.query(`begin; lock table ${table} in exclusive mode`)
  const joined = await joining({ node, keys }, call)
  await client.query('rollback')
  const heldMs = performance.now() - heldSinceMs
  await client.end()
  const answers = await Promise.all(joined)
  if (heldMs > mostHeldMs) throw new HeldTooLong(`The table was held for ${heldMs} ms.`)
  return answers
}

/** Makes the calls, and resolves once all of them have joined their batches. */
export async function joining(
  { node, keys = [] }: Pick<Held, 'node' | 'keys'>,
  call: () => Promise<Answer>[],
): Promise<Promise<Answer>[]> {
  const before = arrived
  const answers = call()
  await until('all to arrive', () => arrived - before >= answers.length)
  // These calls come later, so when they are answered the calls before have joined their batches.
  await Promise.all([askFor(node, keys), node.call('GET', '/healthz')])
  return answers
}

const askFor = (node: Node, keys: readonly string[]) =>
  Promise.all([...new Set(keys)].map((key) => node.call('GET', '/api/v1/otp/none', { key })))
