import { type Answer, json } from '../../http/answer.ts'
import { readParameters } from '../../http/parameters.ts'
import { Refusal } from '../../http/refusal.ts'
import type { Handler } from '../../http/router.ts'
import { type Gateway, METHODS } from './methods.ts'
import { findToken } from './parameters.ts'

/** ANY /{method} of the Gateway API: errors are `ok: false` with a name, on HTTP 200. */
export function telegramGateway(token: string, gateway: Gateway): Handler {
  return async ({ request, url, params }) => {
    const parameters = await readParameters(request, url).catch((error: unknown) => {
      if (error instanceof Refusal && error.status === 422) return new Map<string, string>()
      throw error
    })
    const given = findToken(request, parameters)
    if (given === null) return failure('ACCESS_TOKEN_REQUIRED')
    if (given !== token) return failure('ACCESS_TOKEN_INVALID')
    const method = METHODS.get((params[0] ?? '').toLowerCase())
    if (method === undefined) return failure('UNKNOWN_METHOD')
    const outgoing = await method(gateway, parameters)
    if (outgoing === 'broken') return json(500, { ok: false, error: 'INTERNAL_SERVER_ERROR' })
    return 'error' in outgoing ? failure(outgoing.error) : json(200, { ok: true, result: outgoing.result })
  }
}

function failure(error: string): Answer {
  return json(200, { ok: false, error })
}
