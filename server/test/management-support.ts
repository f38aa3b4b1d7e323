/** Companies and their money, as the operator handles them. */
import assert from 'node:assert/strict'
import type { Answer } from './harness/node.ts'
import { startService } from './harness/service.ts'

export const unknown = {
  company: 'cmp_01kxxxxxxx0000000000000000',
  app: 'app_01kxxxxxxx0000000000000000',
  key: 'key_01kxxxxxxx0000000000000000',
}

export interface Entry {
  readonly entry_id: string
  readonly kind: string
  readonly amount: string
  readonly otp_id: string | null
  readonly note: string | null
}

export const micros = (amount: string) => BigInt(Math.round(Number(amount) * 1_000_000))

export function assertInvalid(answer: Answer, path: string): void {
  assert.equal(answer.status, 422, JSON.stringify(answer.body))
  assert.equal(answer.body.error.type, 'ValidationError')
  const paths: string[] = answer.body.error.details.fields.map((problem: { path: string }) => problem.path)
  assert.ok(paths.includes(path), `${paths}`)
}

export async function startManaging() {
  const { database, node, close } = await startService()
  const openCompany = async (body: Record<string, unknown> = {}): Promise<string> => {
    const made = await node.manage('POST', '/companies', { name: 'Acme', ...body })
    assert.equal(made.status, 201, JSON.stringify(made.body))
    return made.body.company_id
  }
  const balanceOf = async (companyId: string): Promise<string> =>
    (await node.manage('GET', `/companies/${companyId}`)).body.balance
  const ledgerOf = async (companyId: string, query = '') =>
    (await node.manage('GET', `/companies/${companyId}/ledger${query}`)).body as {
      entries: Entry[]
      next_cursor: string | null
    }
  return { database, node, close, openCompany, balanceOf, ledgerOf }
}
