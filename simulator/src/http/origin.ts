import type { IncomingMessage } from 'node:http'
import { Refusal } from './refusal.ts'

/** A page of another site may not act as a carrier or as a person. */
export function assertOwnOrigin(request: IncomingMessage): void {
  const origin = request.headers.origin
  if (request.method === 'GET' || request.method === 'HEAD' || origin === undefined) return
  if (URL.canParse(origin) && new URL(origin).host === request.headers.host) return
  throw new Refusal(403, 'HTTPException', 'writes from another origin are refused')
}
