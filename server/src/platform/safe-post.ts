/**
 * The door for calls to addresses that customers set. The name is resolved and all its addresses are checked, the
 * connection goes to one of the checked addresses, no redirect is followed, and little of the answer is read.
 */
import type { LookupAddress } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import type { Client } from 'undici'
import { allowAddresses, type IsAllowed, listAddresses } from './addresses.ts'
import { findConnectionProblem } from './connection-problem.ts'
import { startDeadline } from './deadline.ts'
import { exchange } from './exchange.ts'
import { KeptConnections } from './kept-connections.ts'
import { byText, memo } from './memo.ts'
import { perAddressTimeout } from './per-address-timeout.ts'
import { createResolve, type Resolve } from './resolve-name.ts'

const defaultDeadlineMs = 10_000
const maxReadBytes = 16_384
const maxKeptBytes = 2_048
const maxHeaderBytes = 16_384
const mostUrls = 1_000

/** Sent with every call. */
export const postHeaders = {
  'content-type': 'application/json',
  'user-agent': 'Countersign-Webhooks/1',
} as const

export interface PostResult {
  /** Null if no status line came in time. */
  readonly status: number | null
  readonly retryAfter: string | undefined
  /** The first bytes of the answer's body, as text. */
  readonly answer: string | null
  readonly error: string | null
  /** Whether a kept connection was closed during the call. That says little: a new connection may work. */
  readonly isCutOff: boolean
}

/** Never throws: every failure is a result. */
export type SafePost = (url: string, body: string, headers: Record<string, string>) => Promise<PostResult>

export interface SafeDoor {
  readonly post: SafePost
  /** Null if the URL may be called, else why not, in words for the person who sets it. */
  readonly findProblem: (url: string) => Promise<string | null>
  /** The same for the address of a provider account. */
  readonly findAccountProblem: (account: AccountHost) => Promise<string | null>
  /** How an account resolves names. IP addresses are never looked up: `refusesAccount` checks those. */
  readonly accountLookup: (account: AccountHost) => LookupFunction
  /** Judges an IP address; a name is judged when it is resolved. */
  readonly refusesAccount: (account: AccountHost) => boolean
  readonly close: () => Promise<void>
}

/** The address that a provider account connects to with its credentials. */
interface AccountHost {
  readonly host: string
  /** Whether it is called over plain http. */
  readonly isHttp: boolean
  /** Accounts of the operator may be in the operator's own network. */
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
  const ruleOf = ({ isHttp, isOperators }: AccountHost): Rule | null => {
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
    (await isHostAllowed(host, resolve, rule.isAllowed, deadlineMs)) ? null : rule.problem
  const clientOptions: Client.Options = {
    connect: { lookup: guardedLookup, timeout: deadlineMs, ...perAddressTimeout },
    // No timeouts of their own: the deadline of the whole call bounds both.
    headersTimeout: 0,
    bodyTimeout: 0,
    maxHeaderSize: maxHeaderBytes,
  }
  // Each connection has one call at a time: customers share hosts, and none waits for another's answer.
  const connections = new KeptConnections(clientOptions)
  return {
    findAccountProblem: async (account) => {
      const rule = ruleOf(account)
      return rule && findHostProblem(account.host, rule)
    },
    accountLookup: (account) => checkedLookup(resolve, ruleOf(account)?.isAllowed ?? anywhere),
    refusesAccount: (account) =>
      isIP(account.host) !== 0 && ruleOf(account)?.isAllowed(account.host) === false,
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
  await connections.release(connection, 'isComplete' in end && end.isComplete)
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

/** Endpoints are called again and again, so each URL is parsed once. */
const targetOf = memo(mostUrls, byText, (url) => {
  const { origin, pathname, search } = new URL(url)
  return { origin, path: `${pathname}${search}` }
})

/** The text of the first bytes, without NUL, which PostgreSQL cannot store. */
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

/** Resolves, checks and returns the same addresses: a name that resolves differently a moment later gains nothing. */
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

/** All must be allowed: one bad address among good ones is a trap, not an accident. */
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

async function isHostAllowed(
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
  // A name that does not resolve yet, or not on this node, is judged when it is called.
  return areAllowed(addresses, isAllowed)
}
