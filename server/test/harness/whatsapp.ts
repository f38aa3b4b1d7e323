/** A person on WhatsApp, who opens a link and writes to one of our numbers. */
import assert from 'node:assert/strict'
import type { Node } from './node.ts'

let count = 0

export interface Written {
  readonly from: string | null
  readonly text: string
  readonly messageId?: string
  /** The account whose number the person writes to. */
  readonly provider?: string
}

/** Resolves when the service has finished processing the message. */
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

/** The text that the link fills in. */
export const linkText = (actionUrl: string): string => new URL(actionUrl).searchParams.get('text') ?? ''
