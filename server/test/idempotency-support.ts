/** Two nodes that get sends with idempotency keys, and the rows that a company has afterwards. */
import { Capture } from './harness/capture.ts'
import { send } from './harness/fixtures.ts'
import type { Node } from './harness/node.ts'
import { startTwoNodeService } from './harness/service.ts'

/** The counts of a company with one accepted send. */
export const one = { verifications: '1', deliveries: '1', reserved: '1', keys: '1' }

export const sendWith = (on: Node, apiKey: string, key: string, body: Record<string, unknown>) =>
  send(on, apiKey, body, { 'idempotency-key': key })

export async function startIdempotency() {
  const capture = new Capture()
  const { database, nodes, close } = await startTwoNodeService({ capture })
  const counts = async (companyId: string) => {
    const [found] = await database.query<Record<string, string>>(
      `select (select count(*) from verifications where company_id = $1) as verifications,
              (select count(*) from deliveries where company_id = $1) as deliveries,
              (select count(*) from ledger where company_id = $1 and kind = 'reserve') as reserved,
              (select count(*) from idempotency_keys where company_id = $1) as keys`,
      [companyId],
    )
    return found
  }
  return { capture, database, nodes, counts, close }
}
