/** Reads what needs attention in an app. */
import assert from 'node:assert/strict'
import type { Tenant } from './harness/fixtures.ts'
import type { Node } from './harness/node.ts'

export interface Item {
  readonly kind: string
  readonly severity: string
  readonly message: string
  readonly since: string | null
}

export const attentionOf =
  (node: Node) =>
  async ({ appId }: Pick<Tenant, 'appId'>): Promise<Item[]> => {
    const answer = await node.manage('GET', `/apps/${appId}/attention`)
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    return answer.body.items
  }
