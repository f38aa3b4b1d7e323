/** Pages through lists of verifications. */
import assert from 'node:assert/strict'
import type { Answer, Node } from './harness/node.ts'

export interface Page {
  readonly verifications: { otp_id: string; status: string; delivery_status: string | null }[]
  readonly next_cursor: string | null
  readonly searched_to: string | null
}

export const idsOf = (page: Page) => page.verifications.map(({ otp_id }) => otp_id)

export function listsOf(node: Node) {
  const get = (appId: string, query: Record<string, string> = {}): Promise<Answer> =>
    node.manage('GET', `/apps/${appId}/verifications?${new URLSearchParams(query)}`)
  async function list(appId: string, query: Record<string, string> = {}): Promise<Page> {
    const answer = await get(appId, query)
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    return answer.body
  }

  async function walk(
    appId: string,
    query: Record<string, string>,
  ): Promise<{ ids: string[]; pages: Page[] }> {
    const pages: Page[] = []
    let cursor: string | null = null
    do {
      assert.ok(pages.length < 100, 'no end of pages')
      const page: Page = await list(appId, { ...query, ...(cursor ? { cursor } : {}) })
      pages.push(page)
      cursor = page.next_cursor
    } while (cursor)
    return { ids: pages.flatMap(idsOf), pages }
  }

  return { get, list, walk }
}
