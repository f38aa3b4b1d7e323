/** Calls to every route and callback that our own OpenAPI names. */
import { openApiDocument } from '@countersign/contract'
import { Agent, type Dispatcher, request } from 'undici'
import { adminToken, type Node } from '../harness/node.ts'
import type { Random } from './random.ts'
import { type Schema, Values } from './values.ts'

interface Parameter {
  readonly name: string
  readonly in: string
  readonly schema?: Schema
}

interface Operation {
  readonly method: string
  readonly path: string
  readonly parameters: readonly Parameter[]
  readonly body: Schema | null
  readonly contentType: string
  readonly statuses: ReadonlySet<string>
}

interface Call {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Buffer | null
}

const methods = [
  'get',
  'put',
  'post',
  'delete',
  'patch',
  'head',
  'options',
  'trace',
  'propfind',
  'query',
] as const
/** So many of each name; the newest stay. */
const mostKnown = 30
const headersTimeoutMs = 30_000

const secret = 'a secret of the account'
/** On this machine, where nobody answers; the first takes callbacks of whoever is here. */
const accounts = [
  {
    channel: 'sms',
    kind: 'http',
    settings: {
      base_url: 'http://127.0.0.1:9',
      body_type: 'none',
      receipts: 'addresses',
      receipt_addresses: ['127.0.0.1'],
      receipt_id_at: ['/id'],
      receipt_state_at: ['/state'],
      receipt_states: { ok: 'delivered', bad: 'failed' },
    },
  },
  {
    channel: 'whatsapp',
    kind: 'whatsapp',
    settings: {
      base_url: 'http://127.0.0.1:9',
      phone_number_id: '1',
      number: '+15550001111',
      access_token: secret,
      app_secret: secret,
      verify_token: secret,
      template_name: 'code',
    },
  },
  {
    channel: 'sms',
    kind: 'twilio',
    settings: {
      base_url: 'http://127.0.0.1:9',
      account_sid: `AC${'0'.repeat(32)}`,
      auth_token: secret,
      from: '+15005550006',
    },
  },
] as const

// biome-ignore lint/suspicious/noExplicitAny: the document is read by its form
const document: any = openApiDocument()
const resolve = (ref: string): Schema =>
  ref
    .slice(2)
    .split('/')
    .reduce((at, name) => at[name.replaceAll('~1', '/')], document)

const operations: readonly Operation[] = Object.entries<Record<string, unknown>>(document.paths).flatMap(
  ([path, item]) =>
    Object.entries(item).flatMap(([method, described]) => {
      if (!methods.some((each) => each === method)) return []
      // biome-ignore lint/suspicious/noExplicitAny: as above
      const { parameters = [], requestBody, responses } = described as any
      const [contentType = 'application/json', content] =
        Object.entries<{ schema?: Schema }>(requestBody?.content ?? {})[0] ?? []
      return [
        {
          method,
          path,
          parameters,
          body: content?.schema ?? null,
          contentType,
          statuses: new Set(Object.keys(responses)),
        },
      ]
    }),
)

export class HttpCases {
  readonly #node: Node
  readonly #random: Random
  readonly #values: Values
  readonly #known = new Map<string, string[]>()
  readonly #agent = new Agent({ headersTimeout: headersTimeoutMs, bodyTimeout: headersTimeoutMs })
  /** What was asked last. */
  last = ''
  #keys: readonly [string, ...string[]] = ['']

  constructor(node: Node, random: Random) {
    this.#node = node
    this.#random = random
    this.#values = new Values(random, resolve, this.#known)
  }

  /** What is made now and deleted by a case later on. */
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
    for (const { body } of [company, app, ...keys, ...providers]) this.#learn(body)
  }

  close(): Promise<void> {
    return this.#agent.close()
  }

  /** Resolves with what is wrong with the answer; null where it is as it should be. */
  async run(): Promise<string | null> {
    const operation = this.#random.pick(operations as [Operation, ...Operation[]])
    const call = this.#make(operation)
    this.last = `${call.method} ${describe(call)}`
    const begun = performance.now()
    const answer = await request(`${this.#node.baseUrl}${call.url}`, {
      // Some are of no type that is listed.
      method: call.method as Dispatcher.HttpMethod,
      headers: call.headers,
      body: call.body,
      dispatcher: this.#agent,
    })
    const text = await answer.body.text()
    const ms = performance.now() - begun
    const said = `${call.method} ${operation.path} → ${answer.statusCode} in ${Math.round(ms)} ms: ${describe(call)}`
    if (answer.statusCode >= 500) return `${said}\n${text.slice(0, 300)}`
    const isOther = call.method.toLowerCase() !== operation.method
    if (!isOther && !operation.statuses.has(String(answer.statusCode)) && !isCommon(answer.statusCode))
      return `undocumented: ${said}`
    this.#learnFrom(text)
    return null
  }

  #make({ method, path, parameters, body, contentType }: Operation): Call {
    const values = this.#values
    const random = this.#random
    const query = new URLSearchParams()
    const headers: Record<string, string> = {}
    let url = path
    for (const { name, in: place, schema = {} } of parameters) {
      if (place === 'path') continue
      if (!random.chance(0.5)) continue
      const value = written(values.of(schema, name))
      if (place === 'query') query.append(name, value)
      else if (/^[\x20-\x7e]*$/.test(value)) headers[name] = value
    }
    url = url.replaceAll(/\{(\w+)\}/g, (_, name) => encodePart(values.text(name)))
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
    const text = contentType.includes('form')
      ? String(
          new URLSearchParams(
            Object.entries(Object(value)).map(([name, each]): [string, string] => [name, written(each)]),
          ),
        )
      : JSON.stringify(value)
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
      // A page, a list of lines, or nothing.
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

/** What any call may get, whatever its route: no key, wrong method, too long, wrong type, too fast. */
const isCommon = (status: number) => [400, 401, 403, 404, 405, 413, 414, 415, 422, 429, 431].includes(status)

const written = (value: unknown) => (typeof value === 'object' ? JSON.stringify(value) : String(value))

const encodePart = (text: string) => {
  // A lone half of a pair cannot be written in an address.
  const written = encodeURIComponent(text.replaceAll(/[\ud800-\udfff]/g, ''))
  return written === '' || /^\.+$/.test(written) ? 'x' : written
}

const describe = ({ url, body }: Call) =>
  `${url.slice(0, 300)} ${body === null ? '' : JSON.stringify(String(body).slice(0, 600))}`
