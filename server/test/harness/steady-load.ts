/** Sends at a steady rate, while something happens to the database. */
import { setTimeout as sleep } from 'node:timers/promises'
import { freshPhone, send, type Tenant } from './fixtures.ts'
import type { Node } from './node.ts'

const callers = 4
const pauseMs = 10

/** Sends until `stop`, and records accepted and other answers separately. */
export function startLoad(node: Node, { serverKey }: Tenant) {
  const accepted: string[] = []
  const others: { readonly status: number; readonly retryAfter: string | null }[] = []
  let isOver = false
  const call = async () => {
    while (!isOver) {
      const answer = await send(node, serverKey, { recipient: freshPhone() })
      if (answer.status === 200) accepted.push(answer.body.otp_id)
      else others.push({ status: answer.status, retryAfter: answer.headers.get('retry-after') })
      await sleep(pauseMs)
    }
  }
  const running = Promise.all(Array.from({ length: callers }, call))
  const stop = async () => {
    isOver = true
    await running
  }
  return { accepted, others, stop }
}
