/** The real app on a real PostgreSQL, as one node. Start two on one database to test what must hold across nodes. */
import { randomBytes } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { Agent, request } from 'undici'
import { type App, type AppOptions, buildApp } from '../../src/app.ts'
import type { Log, LogFields } from '../../src/platform/log.ts'
import { Capture } from './capture.ts'
import { untilAvailable } from './until-available.ts'

export const adminToken = `admin-${randomBytes(16).toString('hex')}`
export const testMasterKeys = { secrets: [randomBytes(32)] } as const

export interface Answer {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: a test reads answers of every shape
  readonly body: any
  readonly headers: Headers
}

export interface Node {
  readonly baseUrl: string
  readonly app: App
  readonly capture: Capture
  readonly logged: { level: string; message: string; fields: LogFields }[]
  readonly call: (
    method: string,
    path: string,
    options?: { key?: string; body?: unknown; headers?: Record<string, string> },
  ) => Promise<Answer>
  /** Calls the management API with the operator's token. */
  readonly manage: (method: string, path: string, body?: unknown) => Promise<Answer>
  readonly close: () => Promise<void>
}

/** A few pages in place of the documents' site. */
const documentsFolder = fileURLToPath(new URL('documents', import.meta.url))

export async function startNode(
  databaseUrl: string,
  options: Partial<AppOptions> & { capture?: Capture } = {},
): Promise<Node> {
  const { capture = new Capture(), ...overrides } = options
  const logged: Node['logged'] = []
  const log: Log = (level, message, fields = {}) => logged.push({ level, message, fields })
  const settings: AppOptions = {
    databaseUrl,
    databaseReadUrl: null,
    databaseConnections: 12,
    masterKeys: testMasterKeys,
    adminToken,
    publicUrl: 'http://localhost',
    localUrl: 'http://localhost',
    dashboardFolder: null,
    documentsFolder,
    phonesUrl: null,
    bounce: null,
    door: { allowedRanges: ['127.0.0.0/8', '::1/128'], allowsHttp: true },
    metricsToken: null,
    trustedProxies: [],
    ipSourcesFile: null,
    ipListsFolder: null,
    role: 'all',
    routingAccounts: 'priority',
    retentionDays: 30,
    trace: null,
    canaries: [],
    canaryEverySeconds: 900,
    log,
    kinds: new Map(),
    builtIn: (onReceipt) => {
      capture.receipt = onReceipt
      return capture.providers()
    },
    ...overrides,
  }
  const app = await untilAvailable(() => buildApp(settings))
  const baseUrl = await app.listen(0, '127.0.0.1')
  // Not `fetch`, which takes several times as much processor time per call.
  const agent = new Agent()
  const call: Node['call'] = async (method, path, { key, body, headers = {} } = {}) => {
    const response = await request(`${baseUrl}${path}`, {
      // Some tests use methods that the type does not list.
      method: method as 'GET',
      dispatcher: agent,
      headers: {
        ...(key ? { authorization: `Bearer ${key}` } : {}),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const text = await response.body.text()
    const received = new Headers(
      Object.entries(response.headers).flatMap(([name, values]) =>
        [values ?? []].flat().map((value): [string, string] => [name, value]),
      ),
    )
    return { status: response.statusCode, headers: received, body: text && parse(text) }
  }
  const close = async () => {
    // It still answers while it stops, so the agent is closed after it.
    await app.close()
    await agent.close()
  }
  let closed: Promise<void> | undefined
  return {
    baseUrl,
    app,
    capture,
    logged,
    call,
    manage: (method, path, body) =>
      call(method, `/manage/v1${path}`, { key: adminToken, ...(body === undefined ? {} : { body }) }),
    close: () => {
      closed ??= close()
      return closed
    },
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
