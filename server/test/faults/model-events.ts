/** Every event arrives at least once, with one id and the same bytes; more than once only for a known cause. */
import type { Taken } from './endpoint.ts'
import type { Installation } from './installation.ts'

interface Row {
  readonly event_id: string
  readonly body: string
  readonly status: string
  /** Attempts whose answer we did not get. */
  readonly unheard: number
}

export async function eventProblems({ database, endpoint, troubles }: Installation): Promise<{
  readonly violations: string[]
  readonly counts: Readonly<Record<string, number>>
}> {
  const { rows } = await database.query<Row>(`
    select event_id, body, status,
           (select count(*)::integer from event_attempts a where a.event_id = e.event_id and a.status is null) as unheard
      from events e`)
  /** Whether between two arrivals the answer was lost, or the sender died or was cut off. */
  const hasCause = (one: Taken, next: Taken) =>
    troubles.wasThere(['death', 'silence', 'endpoint'], one.atMs, next.atMs)
  const violations: string[] = []
  let repeated = 0
  for (const { event_id, body, status, unheard } of rows) {
    const taken = endpoint.taken.get(event_id) ?? []
    if (status !== 'delivered') violations.push(`event ${event_id} is ${status}`)
    if (taken.length === 0) violations.push(`event ${event_id} never came`)
    if (taken.some((each) => each.body !== body)) violations.push(`event ${event_id} came with other bytes`)
    if (taken.length > 1) repeated++
    const again = taken.slice(1)
    const without = again.filter((next, index) => !hasCause(taken[index] ?? next, next)).length
    if (without > unheard) violations.push(`event ${event_id} came ${taken.length} times without a cause`)
  }
  const known = new Set(rows.map(({ event_id }) => event_id))
  for (const id of endpoint.taken.keys())
    if (!known.has(id)) violations.push(`event ${id} came, and is not there`)
  return {
    violations,
    counts: { events: rows.length, 'events that came more than once, each for a cause': repeated },
  }
}
