import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import { Refusal } from './refusal.ts'

/**
 * A page of another site can have the name of its own host lead to this machine. To a browser the simulator is then
 * part of that site, and the page could read codes; only the name that it calls gives it away.
 */
export function assertKnownHost(request: IncomingMessage, publicHost: string | null): void {
  const { host } = request.headers
  // Browsers always name a host.
  if (host === undefined) return
  const url = `http://${host}`
  const name = URL.canParse(url) ? new URL(url).hostname.replace(/\.$/, '') : ''
  if (name === 'localhost' || name.endsWith('.localhost') || name === publicHost) return
  if (isIP(name.replace(/^\[(.*)\]$/, '$1')) > 0) return
  throw new Refusal(403, 'HTTPException', 'the simulator is not called by this name; localhost always works')
}
