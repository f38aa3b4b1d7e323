/**
 * The door for calls whose address a customer sets. The name is resolved and all its addresses are checked, the
 * connection goes to one that was checked, no redirect is followed, and little of the answer is read.
 */
import type { LookupAddress } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import type { Client } from 'undici'
import { allowAddresses, type IsAllowed, listAddresses } from './addresses.ts'
import { findConnectionProblem } from './connection-problem.ts'
import { startDeadline } from './deadline.ts'
import { exchange } from './exchange.ts'
import { patientWithEach } from './far-hosts.ts'
import { KeptConnections } from './kept-connections.ts'
import { byText, memo } from './memo.ts'
import { createResolve, type Resolve } from './resolve-name.ts'

const defaultDeadlineMs = 10_000
const maxReadBytes = 16_384
const maxKeptBytes = 2_048
const maxHeaderBytes = 16_384
const mostUrls = 1_000

/** Of every call. */
export const postHeaders = {
  'content-type': 'application/json',
  'user-agent': 'Countersign-Webhooks/1',
} as const

export interface PostResult {
  /** Null where no status line came in time. */
  readonly status: number | null
  readonly retryAfter: string | undefined
  /** The first bytes of the answer, as text. */
  readonly answer: string | null
  readonly error: string | null
  /** A kept connection was closed under the call. That says little about the other side: another may be open at once. */
  readonly isCutOff: boolean
}

/** Never throws: every ending is a result. */
export type SafePost = (url: string, body: string, headers: Record<string, string>) => Promise<PostResult>

export interface SafeDoor {
  readonly post: SafePost
  /** Null if the address may be called; else why not, in words for the person who sets it. */
  readonly findProblem: (url: string) => Promise<string | null>
  /** The same for where a provider account goes. */
  readonly findAccountProblem: (place: AccountPlace) => Promise<string | null>
  /** How an account resolves names. Literals are never looked up: see `refusesAccount`. */
  readonly accountLookup: (place: AccountPlace) => LookupFunction
  /** Of a literal; a name is judged when it is resolved. */
  readonly refusesAccount: (place: AccountPlace) => boolean
  readonly close: () => Promise<void>
}

/** Where a provider account goes with its credentials. */
export interface AccountPlace {
  readonly host: string
  /** Whether it is called over plain http. */
  readonly isHttp: boolean
  /** The operator's own accounts may stand in the operator's own network. */
  readonly isOperators: boolean
}

export interface SafeDoorOptions {
  readonly allowedRanges: readonly string[]
  /** Allows plain http, for the sandbox only. */
  readonly allowsHttp: boolean
  readonly resolve?: Resolve
  readonly deadlineMs?: number
}

const refused = 'the address is not a public one'
const anywhere: IsAllowed = () => true
const refusedInClear = 'http is only for addresses in ALLOWED_RANGES; use https'

export function createSafeDoor({
  allowedRanges,
  allowsHttp,
  resolve = createResolve(),
  deadlineMs = defaultDeadlineMs,
}: SafeDoorOptions): SafeDoor {
  const isAllowed = allowAddresses(allowedRanges)
  const isListed = listAddresses(allowedRanges)
  const guardedLookup = checkedLookup(resolve, isAllowed)
  const ruleOf = ({ isHttp, isOperators }: AccountPlace): Rule | null => {
    if (isHttp && !allowsHttp) return { isAllowed: isListed, problem: refusedInClear }
    return isOperators ? null : { isAllowed, problem: refused }
  }
  const refusesLiteral = (host: string) => isIP(host) !== 0 && !isAllowed(host)
  const findShapeProblem = memo(
    mostUrls,
    byText,
    (url) => shapeProblem(url, allowsHttp) ?? (refusesLiteral(hostOf(url)) ? refused : null),
  )
  const findHostProblem = async (host: string, rule: Rule) =>
    (await isPlaceAllowed(host, resolve, rule.isAllowed, deadlineMs)) ? null : rule.problem
  const clientOptions: Client.Options = {
    connect: { lookup: guardedLookup, timeout: deadlineMs, ...patientWithEach },
    // The deadline of the whole call bounds both.
    headersTimeout: 0,
    bodyTimeout: 0,
    maxHeaderSize: maxHeaderBytes,
  }
  // One call at a time on each: customers share hosts, and none waits for another's answer.
  const connections = new KeptConnections(clientOptions)
  return {
    findAccountProblem: async (place) => {
      const rule = ruleOf(place)
      return rule && findHostProblem(place.host, rule)
    },
    accountLookup: (place) => checkedLookup(resolve, ruleOf(place)?.isAllowed ?? anywhere),
    refusesAccount: (place) => isIP(place.host) !== 0 && ruleOf(place)?.isAllowed(place.host) === false,
    findProblem: async (url) =>
      findShapeProblem(url) ?? (await findHostProblem(hostOf(url), { isAllowed, problem: refused })),
    post: async (url, body, headers) => {
      const problem = findShapeProblem(url)
      if (problem) return failure(problem)
      return post(connections, url, body, headers, deadlineMs)
    },
    close: () => connections.close(),
  }
}

async function post(
  connections: KeptConnections,
  url: string,
  body: string,
  headers: Record<string, string>,
  deadlineMs: number,
): Promise<PostResult> {
  const { origin, path } = targetOf(url)
  const request = {
    method: 'POST',
    path,
    body,
    headers: { ...headers, ...postHeaders },
  } as const
  const { signal, clear } = startDeadline(deadlineMs)
  const connection = connections.take(origin)
  const { isUsed } = connection
  const end = await exchange(connection.client, { request, signal, maxBodyBytes: maxReadBytes })
  clear()
  await connections.release(connection, 'isWhole' in end && end.isWhole)
  if ('error' in end) {
    if (signal.aborted) return failure(`no answer within ${deadlineMs / 1000} s`)
    return { ...failure(describe(end.error)), isCutOff: isUsed && isClosed(end.error) }
  }
  const header = end.headers['retry-after']
  return {
    status: end.status,
    retryAfter: Array.isArray(header) ? header[0] : header,
    answer: textOf(end.body),
    error: null,
    isCutOff: false,
  }
}

/** Endpoints are called again and again: their addresses are taken apart once. */
const targetOf = memo(mostUrls, byText, (url) => {
  const { origin, pathname, search } = new URL(url)
  return { origin, path: `${pathname}${search}` }
})

/** Of the first bytes; what PostgreSQL cannot hold is left out. */
const textOf = (body: Buffer) => body.subarray(0, maxKeptBytes).toString('utf8').replaceAll('\u0000', '')

const closedCodes: ReadonlySet<unknown> = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE'])
const isClosed = (error: Error) => 'code' in error && closedCodes.has(error.code)

const failure = (error: string): PostResult => ({
  status: null,
  retryAfter: undefined,
  answer: null,
  error,
  isCutOff: false,
})

function describe(error: unknown): string {
  if (!(error instanceof Error)) return 'the call failed'
  const code = 'code' in error && typeof error.code === 'string' ? error.code : error.name
  if (code === refusedCode) return refused
  const problem = findConnectionProblem(code)
  return problem === null ? `the connection failed (${code})` : `the connection failed: ${problem} (${code})`
}

const refusedCode = 'address_refused'
const addressRefused = () => Object.assign(new Error(refused), { code: refusedCode })

/** Looked up, checked and connected to in one go: a name that resolves differently a moment later gains nothing. */
function checkedLookup(resolve: Resolve, isAllowed: IsAllowed): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname).then(
      (addresses) => {
        const [first] = addresses
        if (!first || !areAllowed(addresses, isAllowed)) callback(addressRefused(), '')
        else if (options.all) callback(null, [...addresses])
        else callback(null, first.address, first.family)
      },
      (error: NodeJS.ErrnoException) => callback(error, ''),
    )
  }
}

/** One bad record among good ones is a trap, not an accident. */
const areAllowed = (addresses: readonly LookupAddress[], isAllowed: IsAllowed) =>
  addresses.every(({ address }) => isAllowed(address))

function shapeProblem(text: string, allowsHttp: boolean): string | null {
  if (!URL.canParse(text)) return 'it is not a URL'
  const url = new URL(text)
  if (url.protocol !== 'https:' && !(allowsHttp && url.protocol === 'http:'))
    return 'it must start with https://'
  if (url.username || url.password) return 'it must not contain a user or password'
  return null
}

const hostOf = (url: string) => new URL(url).hostname.replace(/^\[|\]$/g, '')

interface Rule {
  readonly isAllowed: IsAllowed
  readonly problem: string
}

async function isPlaceAllowed(
  host: string,
  resolve: Resolve,
  isAllowed: IsAllowed,
  deadlineMs: number,
): Promise<boolean> {
  if (isIP(host) !== 0) return isAllowed(host)
  const silence = new AbortController()
  const addresses = await Promise.race([
    resolve(host).catch(() => []),
    setTimeout(deadlineMs, [], { signal: silence.signal }).catch(() => []),
  ])
  silence.abort()
  // A name that nobody knows yet, or that this node cannot ask for, is judged when it is called.
  return areAllowed(addresses, isAllowed)
}
