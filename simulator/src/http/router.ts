import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Answer } from './answer.ts'
import { Refusal } from './refusal.ts'

interface Call {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly url: URL
  /** What the groups of the route's pattern matched, in order. */
  readonly params: readonly string[]
}

/** A handler that keeps the response for itself returns null. */
export type Handler = (call: Call) => Promise<Answer | null> | Answer | null

export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  readonly path: RegExp
  readonly handle: Handler
}

export interface MatchedRoute {
  readonly handle: Handler
  readonly params: readonly string[]
}

export function getRoute(routes: readonly Route[], method: string, path: string): MatchedRoute {
  const allowed = new Set<string>()
  for (const route of routes) {
    const match = route.path.exec(path)
    if (match === null) continue
    if (route.method === method) return { handle: route.handle, params: match.slice(1).map(String) }
    allowed.add(route.method)
  }
  if (allowed.size === 0) throw new Refusal(404, 'HTTPException', 'there is nothing at this path')
  const allow = [...allowed].join(', ')
  throw new Refusal(405, 'HTTPException', `this path answers ${allow}`, {}, { allow })
}
