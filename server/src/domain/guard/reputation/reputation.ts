/**
 * What the operator's lists say of an address, and how it is treated.
 *
 * Abusive addresses are refused. Addresses that anybody may use (Tor, proxies, VPNs, data centres) are flagged, which
 * means a tighter limit. Privacy relays are treated as any other address: they hide people, not machines. A list that
 * is too old or cannot be read only flags: nobody is refused because of it.
 */
import type { IpClass, RuleFacts } from '@countersign/contract'
import { startLoop } from '../../../platform/loop.ts'
import { within } from '../../../platform/within.ts'
import { isWorse } from './ip-class.ts'
import { listCache } from './list-cache.ts'
import { cachedOrigin, fileOrigin, urlOrigin } from './origin.ts'
import { readSources, type Source } from './sources-file.ts'
import { type List, parseList, type SourceState, WatchedSource } from './watched-source.ts'
import { parseWords } from './words.ts'

export interface IpStanding {
  readonly ipClass: IpClass | null
  readonly treatment: 'refuse' | 'flag' | 'none'
}

/** What the lists say, for a decision. If an abusive address is only flagged, its lists cannot be relied on. */
export const listingOf = ({ ipClass, treatment }: IpStanding): Listing =>
  ipClass === null
    ? { because: 'unlisted' }
    : { because: 'listed', class: ipClass, is_stale: ipClass === 'abusive' && treatment === 'flag' }

type Listing = Exclude<RuleFacts['ip_reputation'], { because: 'no_client_ip' }>

export interface Reputation {
  /** Takes an address as `parseClientIp` returns it. */
  readonly classify: (address: string) => IpStanding
  /** The address's country by the first database that knows it; ISO 3166-1 alpha-2. */
  readonly countryOf: (address: string) => string | null
  /** Every source, with what it says of this address. */
  readonly listings: (address: string) => readonly (SourceState & { readonly says: IpClass | null })[]
  readonly sources: () => readonly SourceState[]
}

export interface WatchOptions {
  /** Where downloads are kept; null if they are not kept. */
  readonly cacheFolder: string | null
  /** Called once for each change. */
  readonly onChange: (state: SourceState) => void
  /** A download is in force but could not be stored, and will be missing at the next start. */
  readonly onUnkept?: (error: unknown) => void
  readonly pollMs?: number
  readonly nowMs?: () => number
}

const pollMs = 2_000
const dayMs = 86_400_000
/** How long the start waits for the first downloads; those that take longer come into force later. */
const firstReadMs = 5_000

/** Reads once what is on this machine; nothing is downloaded or watched. */
export async function loadReputation(
  sourcesFile: string | null,
  {
    cacheFolder = null,
    nowMs = Date.now,
  }: { readonly cacheFolder?: string | null; readonly nowMs?: () => number } = {},
): Promise<Reputation> {
  const watched = (sourcesFile === null ? [] : await readSources(sourcesFile)).map((source) => {
    const parse = (bytes: Buffer) => parseList(bytes, source)
    const origin =
      'path' in source.location
        ? fileOrigin<List>(source.location.path, parse)
        : cachedOrigin<List>(listCache(cacheFolder, source.location.url), parse)
    return new WatchedSource(source, origin, nowMs)
  })
  await Promise.all(watched.map((source) => source.refresh()))
  return reputationOf(watched)
}

/** Reads the lists, and again whenever they change, until it is closed. Rejects only for the file that names them. */
export async function watchReputation(
  sourcesFile: string | null,
  options: WatchOptions,
): Promise<Reputation & { readonly close: () => Promise<void> }> {
  const stop = new AbortController()
  const started = (sourcesFile === null ? [] : await readSources(sourcesFile)).map((source) =>
    startWatching(source, options, stop.signal),
  )
  await within(firstReadMs, Promise.all(started.map(({ firstRead }) => firstRead)))
  return {
    ...reputationOf(started.map(({ watched }) => watched)),
    close: async () => {
      stop.abort()
      await Promise.all(started.map(({ loop }) => loop.close()))
    },
  }
}

function startWatching(source: Source, options: WatchOptions, signal: AbortSignal) {
  const { cacheFolder, onChange, onUnkept, nowMs = Date.now } = options
  const parse = (bytes: Buffer) => parseList(bytes, source)
  const origin =
    'path' in source.location
      ? fileOrigin<List>(source.location.path, parse)
      : urlOrigin<List>(source.location.url, parse, {
          cache: listCache(cacheFolder, source.location.url, onUnkept),
          // Downloaded twice within its maximum age, so that one failure does not make it too old.
          everyMs: Math.min(dayMs, source.maxAgeMs / 2),
          nowMs,
          signal,
        })
  const watched = new WatchedSource(source, origin, nowMs)
  let reportedProblem: string | null = null
  let resolveFirst = () => {}
  const firstRead = new Promise<void>((resolve) => {
    resolveFirst = resolve
  })
  const round = async () => {
    await watched.refresh()
    resolveFirst()
    const { state } = watched
    if (state.problem !== reportedProblem && !signal.aborted) onChange(state)
    reportedProblem = state.problem
    return false
  }
  const loop = startLoop({ round, pollMs: options.pollMs ?? pollMs, onError: () => {} })
  return { watched, loop, firstRead }
}

function reputationOf(watched: readonly WatchedSource[]): Reputation {
  return {
    classify: (address) => {
      const words = parseWords(address)
      let worst: IpClass | null = null
      let isRefused = false
      for (const source of words ? watched : []) {
        const says = words && source.classOf(address, words)
        if (says === null) continue
        if (isWorse(says, worst)) worst = says
        if (says === 'abusive' && source.isTrusted) isRefused = true
      }
      return standingOf(worst, isRefused)
    },
    countryOf: (address) => {
      for (const source of watched) {
        const country = source.countryOf(address)
        if (country !== null) return country
      }
      return null
    },
    listings: (address) => {
      const words = parseWords(address)
      return watched.map((source) => ({ ...source.state, says: words && source.classOf(address, words) }))
    },
    sources: () => watched.map((source) => source.state),
  }
}

function standingOf(ipClass: IpClass | null, isRefused: boolean): IpStanding {
  if (ipClass === null || ipClass === 'relay') return { ipClass, treatment: 'none' }
  return { ipClass, treatment: isRefused ? 'refuse' : 'flag' }
}
