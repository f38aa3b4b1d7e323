/**
 * The door for calls whose address a customer sets. Every address of the name is resolved and checked, the
 * connection goes to the one that was checked, nothing is followed, and little of the answer is read.
 */
import { lookup } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import { Agent, request } from 'undici'
import { allowAddresses, type IsAllowed } from './addresses.ts'

const deadlineMs = 10_000
const maxReadBytes = 16_384
const maxKeptBytes = 2_048
const maxConnectionsPerOrigin = 10

export interface PostResult {
  /** Null where no status line came in time. */
  readonly status: number | null
  readonly retryAfter: string | undefined
  /** The first bytes of the answer, as text. */
  readonly answer: string | null
  readonly error: string | null
}

/** Never throws: every ending is a result. */
export type SafePost = (url: string, body: string, headers: Record<string, string>) => Promise<PostResult>

export interface SafeDoor {
  readonly post: SafePost
  /** Nothing where the address may be called; else why not, in words for the person who sets it. */
  readonly findProblem: (url: string) => Promise<string | null>
  readonly close: () => Promise<void>
}

export interface SafeDoorOptions {
  readonly allowedRanges: readonly string[]
  /** In clear: the sandbox only. */
  readonly allowsHttp: boolean
}

const refused = 'the address is not a public one'

export function createSafeDoor({ allowedRanges, allowsHttp }: SafeDoorOptions): SafeDoor {
  const isAllowed = allowAddresses(allowedRanges)
  const agent = new Agent({
    connections: maxConnectionsPerOrigin,
    connect: { lookup: checkedLookup(isAllowed), timeout: deadlineMs },
    headersTimeout: deadlineMs,
    bodyTimeout: deadlineMs,
    maxHeaderSize: 16_384,
    // A connection is closed with its answer: a receiver that trickles holds nothing.
    pipelining: 0,
  })
  return {
    findProblem: (url) => findProblem(url, allowsHttp, isAllowed),
    post: async (url, body, headers) => {
      const problem = shapeProblem(url, allowsHttp) ?? literalProblem(url, isAllowed)
      return problem ? failure(problem) : post(agent, url, body, headers)
    },
    close: () => agent.destroy(),
  }
}

async function post(
  agent: Agent,
  url: string,
  body: string,
  headers: Record<string, string>,
): Promise<PostResult> {
  const signal = AbortSignal.timeout(deadlineMs)
  try {
    const response = await request(url, {
      dispatcher: agent,
      method: 'POST',
      body,
      headers: { ...headers, 'content-type': 'application/json', 'user-agent': 'Countersign-Webhooks/1' },
      signal,
    })
    const header = response.headers['retry-after']
    const answer = await readSome(response.body, signal)
    return {
      status: response.statusCode,
      retryAfter: Array.isArray(header) ? header[0] : header,
      answer,
      error: null,
    }
  } catch (error) {
    return failure(describe(error))
  }
}

/** The status has decided already: whatever happens to the body changes nothing. */
async function readSome(
  body: AsyncIterable<Buffer> & { destroy(): unknown; on(event: 'error', listener: () => void): unknown },
  signal: AbortSignal,
): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  body.on('error', () => {})
  try {
    for await (const chunk of body) {
      chunks.push(chunk)
      size += chunk.length
      if (size >= maxReadBytes || signal.aborted) break
    }
  } catch {
    // Cut off, reset or too slow.
  } finally {
    body.destroy()
  }
  return Buffer.concat(chunks).subarray(0, maxKeptBytes).toString('utf8').replaceAll('\u0000', '')
}

const failure = (error: string): PostResult => ({ status: null, retryAfter: undefined, answer: null, error })

function describe(error: unknown): string {
  if (!(error instanceof Error)) return 'the call failed'
  if (error.name === 'TimeoutError' || error.name === 'AbortError') return 'no answer within 10 s'
  const code = 'code' in error && typeof error.code === 'string' ? error.code : error.name
  return error.message === refused ? refused : `the connection failed (${code})`
}

function checkedLookup(isAllowed: IsAllowed): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, '', 0)
      const [first] = addresses
      // One bad record among good ones is a trap, not an accident.
      if (!first || addresses.some(({ address }) => !isAllowed(address)))
        return callback(new Error(refused), '', 0)
      if (options.all) return (callback as (error: null, list: typeof addresses) => void)(null, addresses)
      callback(null, first.address, first.family)
    })
  }
}

function shapeProblem(text: string, allowsHttp: boolean): string | null {
  if (!URL.canParse(text)) return 'is not a URL'
  const url = new URL(text)
  if (url.protocol !== 'https:' && !(allowsHttp && url.protocol === 'http:'))
    return 'must start with https://'
  if (url.username || url.password) return 'must not contain a user or password'
  return null
}

/** A literal is never looked up, so the connection would not be checked. */
function literalProblem(text: string, isAllowed: IsAllowed): string | null {
  const host = new URL(text).hostname.replace(/^\[|\]$/g, '')
  return isIP(host) !== 0 && !isAllowed(host) ? refused : null
}

async function findProblem(url: string, allowsHttp: boolean, isAllowed: IsAllowed): Promise<string | null> {
  const problem = shapeProblem(url, allowsHttp) ?? literalProblem(url, isAllowed)
  if (problem) return problem
  const { hostname } = new URL(url)
  if (isIP(hostname.replace(/^\[|\]$/g, '')) !== 0) return null
  return new Promise((resolve) => {
    lookup(hostname, { all: true }, (error, addresses) => {
      if (error || addresses.length === 0) resolve('its name cannot be resolved')
      else resolve(addresses.every(({ address }) => isAllowed(address)) ? null : refused)
    })
  })
}
