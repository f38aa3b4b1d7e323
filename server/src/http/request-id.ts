/** The id of a call: the caller's own if it is valid, else a new one. */
import type { IncomingMessage } from 'node:http'
import { newId } from '../platform/ids.ts'

const keptRequestId = /^[A-Za-z0-9_-]{8,64}$/

export function requestIdOf({ headers }: IncomingMessage): string {
  const sent = headers['x-request-id']
  return typeof sent === 'string' && keptRequestId.test(sent) ? sent : newId('request', Date.now())
}
