import type { IncomingMessage } from 'node:http'
import { isRecord } from './fields.ts'
import { mediaType, parseJson, readBody } from './read-body.ts'

/** Parameters come in the query, as a form or as JSON; all of them are read as text. */
export async function readParameters(request: IncomingMessage, url: URL): Promise<Map<string, string>> {
  const parameters = new Map(url.searchParams)
  if (request.method !== 'POST') return parameters
  const body = (await readBody(request)).toString('utf8')
  if (mediaType(request) === 'application/json') {
    const value = body === '' ? {} : parseJson(body)
    for (const [name, field] of isRecord(value) ? Object.entries(value) : []) {
      if (typeof field === 'string' || typeof field === 'number') parameters.set(name, String(field))
    }
  } else {
    for (const [name, field] of new URLSearchParams(body)) parameters.set(name, field)
  }
  return parameters
}
