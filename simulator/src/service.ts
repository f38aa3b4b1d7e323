/** The service that sends through these carriers. Once it has introduced itself, the page can send and check codes. */
import { timingSafeEqual } from 'node:crypto'
import { request } from 'undici'
import { json } from './http/answer.ts'
import { FieldReader, type Parser } from './http/fields.ts'
import { readJson } from './http/read-body.ts'
import { Refusal } from './http/refusal.ts'
import type { Handler } from './http/router.ts'

interface Introduction {
  /** The address of its API. */
  readonly url: string
  readonly key: string
  /** The address of the dashboard, for links to the pages of the app. */
  readonly dashboard: string
  readonly appId: string
}

const CALL_MS = 15_000

const parseWord: Parser<string> = (value) =>
  typeof value === 'string' && value !== '' && value.length <= 2_000
    ? { value }
    : { message: 'must be a text' }

export class Service {
  readonly #token: string | null
  #known: Introduction | null = null

  constructor(token: string | null) {
    this.#token = token
  }

  /** What the page may know of the service, without the key. */
  describe(): { dashboard: string; app_id: string } | null {
    return this.#known && { dashboard: this.#known.dashboard, app_id: this.#known.appId }
  }

  readonly introduce: Handler = async ({ request: incoming }) => {
    if (!this.#isGenuine(incoming.headers.authorization))
      throw new Refusal(401, 'HTTPException', 'this is not the service that started the simulator')
    const fields = new FieldReader(await readJson(incoming), ['url', 'key', 'dashboard', 'app_id'])
    const known = {
      url: fields.read('url', parseWord, ''),
      key: fields.read('key', parseWord, ''),
      dashboard: fields.read('dashboard', parseWord, ''),
      appId: fields.read('app_id', parseWord, ''),
    }
    fields.finish()
    this.#known = known
    return { status: 204, headers: {}, body: '' }
  }

  /** Passes a call on with the key, which the page does not know, and the answer back unchanged. */
  pass(path: string): Handler {
    return async ({ request: incoming }) => {
      const known = this.#known
      if (known === null)
        throw new Refusal(409, 'HTTPException', 'no service has introduced itself: use its API')
      const answer = await request(`${known.url}${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${known.key}`, 'content-type': 'application/json' },
        body: JSON.stringify(await readJson(incoming)),
        headersTimeout: CALL_MS,
        bodyTimeout: CALL_MS,
      }).catch(() => {
        throw new Refusal(502, 'HTTPException', 'the service cannot be reached')
      })
      return json(answer.statusCode, await answer.body.json())
    }
  }

  #isGenuine(header: string | undefined): boolean {
    const given = Buffer.from(header ?? '')
    const expected = Buffer.from(`Bearer ${this.#token ?? ''}`)
    return this.#token !== null && given.length === expected.length && timingSafeEqual(given, expected)
  }
}
