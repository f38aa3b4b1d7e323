import type { IncomingMessage } from 'node:http'

export function findToken(request: IncomingMessage, parameters: Map<string, string>): string | null {
  const bearer = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1]
  return bearer ?? parameters.get('access_token') ?? null
}
