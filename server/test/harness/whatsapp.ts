/** A person on WhatsApp: opens a link, writes to a number of ours. */
import assert from 'node:assert/strict'
import type { Node } from './node.ts'

let count = 0

export interface Written {
  readonly from: string | null
  readonly text: string
  readonly messageId?: string
  /** The account whose number is written to. */
  readonly provider?: string
}

/** Returns when the service has done all that it is going to do about it. */
export async function write(
  node: Node,
  { from, text, messageId = `wamid-${++count}`, provider = 'capture-whatsapp' }: Written,
): Promise<void> {
  const answer = await node.call('POST', `/hooks/${provider}`, {
    body: JSON.stringify({ messageId, from, text }),
    headers: { 'content-type': 'application/octet-stream' },
  })
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
}

/** What the link has the person write. */
export const linkText = (actionUrl: string): string => new URL(actionUrl).searchParams.get('text') ?? ''
