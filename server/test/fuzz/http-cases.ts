/** Calls to every route and callback, by callers who may make them and callers who may not. */
import { Agent, type Dispatcher, request } from 'undici'
import { adminToken, type Node } from '../harness/node.ts'
import { accounts, signedCallback } from './callbacks.ts'
import type { Case } from './case.ts'
import { methods, type Operation, operations, resolveSchema } from './operations.ts'
import type { Random } from './random.ts'
import { formOf, type Schema, Values, written } from './values.ts'

interface Call {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Buffer | null
}

/** How many values are kept for each name; the oldest are dropped. */
const mostKnown = 30
const headersTimeoutMs = 30_000
/** How long a call is repeated after a 503, because other lanes and tests keep the machine busy. */
const patienceMs = 20_000
/** Callbacks with a valid signature get past the first check. */
const shareOfSigned = 0.08

export class HttpCases {
  readonly #node: Node
  readonly #random: Random
  readonly #values: Values
  readonly #known = new Map<string, string[]>()
  readonly #agent = new Agent({ headersTimeout: headersTimeoutMs, bodyTimeout: headersTimeoutMs })
  #keys: readonly [string, ...string[]] = ['']
  #accountIds: readonly string[] = []

  constructor(node: Node, random: Random) {
    this.#node = node
    this.#random = random
    this.#values = new Values(random, resolveSchema, this.#known)
  }

  /** Creates things that cases may later delete. */
  async prepare(): Promise<void> {
    const company = await this.#node.manage('POST', '/companies', { name: 'Fuzzed', balance: '1000' })
    const app = await this.#node.manage('POST', `/companies/${company.body.company_id}/apps`, {
      name: 'Fuzzed',
    })
    const keys = await Promise.all(
      ['server', 'publishable'].map((kind) =>
        this.#node.manage('POST', `/apps/${app.body.app_id}/keys`, { kind }),
      ),
    )
    const [server, publishable] = keys.map(({ body }) => String(body.key))
    this.#keys = [server ?? '', publishable ?? '']
    const providers = await Promise.all(
      accounts.map((account) =>
        this.#node.manage('POST', '/providers', { ...account, company_id: company.body.company_id }),
      ),
    )
    for (const { status, body } of providers)
      if (status >= 300) throw new Error(`an account could not be made: ${JSON.stringify(body)}`)
    this.#accountIds = providers.map(({ body }) => body.provider_id)
    for (const { body } of [company, app, ...keys, ...providers]) this.#learn(body)
    this.#learn({ service_sid: app.body.twilio_service_sid })
  }

  close(): Promise<void> {
    return this.#agent.close()
  }

  make(): Case {
    if (this.#random.chance(shareOfSigned)) {
      const call = signedCallback(this.#random, this.#values, this.#accountIds)
      return { said: describe(call), run: () => this.#ask(call, null) }
    }
    const operation = this.#random.pick(operations as [Operation, ...Operation[]])
    const call = this.#make(operation)
    return { said: `${operation.path} by ${describe(call)}`, run: () => this.#ask(call, operation) }
  }

  async #request(call: Call): Promise<{ statusCode: number; text: string; isToComeAgain: boolean }> {
    const { statusCode, headers, body } = await request(`${this.#node.baseUrl}${call.url}`, {
      // Some methods are in no list of types.
      method: call.method as Dispatcher.HttpMethod,
      headers: call.headers,
      body: call.body,
      dispatcher: this.#agent,
    })
    const text = await body.text()
    const isToComeAgain = statusCode === 503 && headers['retry-after'] !== undefined
    return { statusCode, text, isToComeAgain }
  }

  async #ask(call: Call, operation: Operation | null): Promise<string | null> {
    const begunAtMs = performance.now()
    let answer = await this.#request(call)
    while (answer.isToComeAgain && performance.now() - begunAtMs < patienceMs)
      answer = await this.#request(call)
    const { text } = answer
    if (answer.statusCode >= 500) return `→ ${answer.statusCode}: ${text.slice(0, 300)}`
    const isOther = call.method.toLowerCase() !== operation?.method
    const isDescribed = operation?.statuses.has(String(answer.statusCode)) ?? answer.statusCode === 200
    if (!isOther && !isDescribed && !isCommon(answer.statusCode))
      return `→ ${answer.statusCode}, which is not documented: ${text.slice(0, 300)}`
    this.#learnFrom(text)
    return null
  }

  #make({ method, path, parameters, body, contentType }: Operation): Call {
    const values = this.#values
    const random = this.#random
    const query = new URLSearchParams()
    const headers: Record<string, string> = {}
    for (const { name, in: place, schema = {} } of parameters) {
      if (place === 'path' || !random.chance(0.5)) continue
      const value = written(values.of(schema, name))
      if (place === 'query') query.append(name, value)
      else if (/^[\x20-\x7e]*$/.test(value)) headers[name] = value
    }
    const url = path.replaceAll(/\{(\w+)\}/g, (_, name) => encodePart(values.text(name)))
    if (random.chance(0.05)) query.append(values.text('key'), values.text('value'))
    this.#authorise(path, headers)
    const made = body === null && random.chance(0.9) ? null : this.#body(body ?? {}, contentType)
    if (made !== null) headers['content-type'] = random.chance(0.95) ? contentType : 'text/plain'
    return {
      method: (random.chance(0.97) ? method : random.pick(methods)).toUpperCase(),
      url: query.size > 0 ? `${url}?${query}` : url,
      headers,
      body: made,
    }
  }

  #authorise(path: string, headers: Record<string, string>): void {
    const random = this.#random
    const key = random.pick(this.#keys)
    const fitting = path.startsWith('/manage') ? adminToken : key
    const token = random.pick([fitting, fitting, fitting, fitting, adminToken, key, 'x', ''])
    if (path.startsWith('/twilio'))
      headers.authorization = `Basic ${Buffer.from(`user:${token}`).toString('base64')}`
    else if (random.chance(0.95)) headers.authorization = `Bearer ${token}`
  }

  #body(schema: Schema, contentType: string): string | Buffer {
    const random = this.#random
    const value = this.#values.of(schema, 'body')
    const text = contentType.includes('form') ? formOf(value) : JSON.stringify(value)
    if (random.chance(0.94)) return text
    if (random.chance(0.5)) return random.mutate(Buffer.from(text))
    return random.pick([
      '',
      '[',
      '{"a":',
      `${'['.repeat(20_000)}`,
      '{"__proto__":{"a":1}}',
      'x'.repeat(70_000),
    ])
  }

  #learnFrom(text: string): void {
    try {
      this.#learn(JSON.parse(text))
    } catch {
      // It is a page, a list of lines, or empty.
    }
  }

  #learn(value: unknown, name = ''): void {
    if (Array.isArray(value)) for (const each of value.slice(0, 5)) this.#learn(each, name)
    else if (typeof value === 'object' && value !== null)
      for (const [field, each] of Object.entries(value)) this.#learn(each, field)
    else if (typeof value === 'string' && /_id$|^sid$|cursor|token|_sid$|revision/.test(name)) {
      const known = this.#known.get(name) ?? []
      this.#known.set(name, [value, ...known.filter((each) => each !== value)].slice(0, mostKnown))
    }
  }
}

/** Refusals that any route may give: no key, wrong method, too long, wrong type, too fast. */
const isCommon = (status: number) => [400, 401, 403, 404, 405, 413, 414, 415, 422, 429, 431].includes(status)

const encodePart = (text: string) => {
  // Half a surrogate pair cannot be written in an address.
  const written = encodeURIComponent(text.replaceAll(/[\ud800-\udfff]/g, ''))
  return written === '' || /^\.+$/.test(written) ? 'x' : written
}

const describe = ({ method, url, body }: Call) =>
  `${method} ${url.slice(0, 300)} ${body === null ? '' : JSON.stringify(String(body).slice(0, 600))}`
