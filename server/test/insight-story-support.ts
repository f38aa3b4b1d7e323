/** Reads one verification with its timeline. */
import assert from 'node:assert/strict'
import { status, until } from './harness/fixtures.ts'
import type { Node } from './harness/node.ts'

interface Entry {
  readonly at: string
  readonly kind: string
  readonly text: string
  readonly channel: string | null
  readonly delivery_id: string | null
  readonly event_id: string | null
}

interface Shown {
  readonly timeline: Entry[]
  readonly kinds: string[]
  readonly app_id: string
  readonly status: string
  readonly cost: string
  readonly expires_at: string
  readonly attempts_remaining: number
  readonly events: { readonly id: string; readonly type: string; readonly status: string }[]
  readonly decisions: { readonly kind: string }[]
}

export async function show(node: Node, otpId: string): Promise<Shown> {
  const answer = await node.manage('GET', `/verifications/${otpId}`)
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  const timeline: Entry[] = answer.body.timeline
  const times = timeline.map(({ at }) => Date.parse(at))
  assert.deepEqual(
    times,
    times.toSorted((left, right) => left - right),
    'oldest first',
  )
  return { ...answer.body, timeline, kinds: timeline.map(({ kind }) => kind) }
}

/** The delivery, once it is recorded that the provider accepted it. */
export const sentDelivery = (node: Node, key: string, otpId: string, index = 0) =>
  until('the message to be sent', async () => {
    const delivery = (await status(node, key, otpId)).body.deliveries[index]
    return delivery?.status === 'sent' && delivery
  })
