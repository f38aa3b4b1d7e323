/**
 * What this node has seen of routes since its last write. Kept in memory, so that no message waits for it.
 *
 * A send ripens as quickly as the codes of its account are usually typed: after that time it is about two thirds ripe.
 * A send that failed is ripe at once, since nobody will type its code. A receipt that it was delivered changes nothing:
 * only a typed code counts.
 */
import type { ChannelName } from '@countersign/contract'
import type { AppId, CompanyId, OtpId } from '../../../platform/ids.ts'

/** One account in one country, for an app's messages of one channel. */
export interface Route {
  readonly companyId: CompanyId
  readonly appId: AppId
  readonly channel: ChannelName
  /** Null for email addresses. */
  readonly country: string | null
  readonly providerId: string
}

export interface NotedRoute extends Route {
  readonly sends: number
  readonly delivered: number
  readonly failed: number
  readonly ripe: number
  readonly savedMicros: number
}

/** The account that carried the message is looked up when the approval is written. */
export interface NotedApproval {
  readonly companyId: CompanyId
  readonly appId: AppId
  readonly otpId: OtpId
  readonly channel: ChannelName
  readonly atMs: number
}

interface Entry {
  readonly route: Route
  sends: number
  delivered: number
  failed: number
  /** Sends that have ripened and are not yet written. */
  ripe: number
  savedMicros: number
  /** Sends that are not yet ripe; below zero if this node heard of failures of messages that another node has sent. */
  unripe: number
  ripenedAtMs: number
  writtenAtMs: number
  paceMs: number
}

export interface Taken {
  readonly routes: readonly NotedRoute[]
  readonly approvals: readonly NotedApproval[]
}

/** The pace until it is known how quickly codes are typed. */
const usualPaceMs = 45_000
const quickestPaceMs = 8_000
const slowestPaceMs = 300_000
/** A factor on the pace, so that an account is not blamed for codes that are still being typed. */
const patience = 1.3
/** A smaller amount is written only every few seconds. */
const worthWriting = 0.5
const writeEveryMs = 5_000
/** If less than this is unripe, it counts as ripe. */
const negligible = 0.01
/** Beyond these bounds nothing is learnt. */
const mostRoutes = 50_000
const mostApprovals = 50_000

const routeKey = ({ appId, channel, country, providerId }: Omit<Route, 'companyId'>) =>
  `${appId} ${channel} ${country ?? ''} ${providerId}`

export class RouteBook {
  readonly #entries = new Map<string, Entry>()
  #approvals: NotedApproval[] = []

  /** Notes that the account took the message. */
  sent(route: Route, nowMs: number): void {
    const entry = this.#entry(route, nowMs)
    if (!entry) return
    ripen(entry, nowMs)
    entry.sends++
    entry.unripe++
  }

  /** Notes the account's receipt, `ms` after it took the message; null if that is not known. */
  received(route: Route, isDelivered: boolean, ms: number | null, nowMs: number): void {
    const entry = this.#entry(route, nowMs)
    if (!entry) return
    if (isDelivered) {
      entry.delivered++
      return
    }
    entry.failed++
    ripen(entry, nowMs)
    const left = Math.exp(-(ms ?? 0) / entry.paceMs)
    entry.ripe += left
    entry.unripe -= left
  }

  approved(approval: NotedApproval): void {
    if (this.#approvals.length < mostApprovals) this.#approvals.push(approval)
  }

  /** Notes what the choice of this account is expected to have saved, compared with the one that has priority. */
  saved(route: Route, micros: number, nowMs: number): void {
    const entry = this.#entry(route, nowMs)
    if (entry) entry.savedMicros += micros
  }

  /** Sets how long codes of this account take to be typed, on average. */
  learnPace(route: Omit<Route, 'companyId'>, meanMs: number): void {
    const entry = this.#entries.get(routeKey(route))
    if (entry) entry.paceMs = Math.min(slowestPaceMs, Math.max(quickestPaceMs, meanMs * patience))
  }

  /** Returns what is due to be written; with `isLast`, everything. */
  take(nowMs: number, isLast = false): Taken {
    const routes: NotedRoute[] = []
    for (const [key, entry] of this.#entries) {
      ripen(entry, nowMs)
      if (isLast || Math.abs(entry.unripe) < negligible) {
        entry.ripe += entry.unripe
        entry.unripe = 0
      }
      if (isDue(entry, nowMs)) routes.push(takeFrom(entry, nowMs))
      if (entry.unripe === 0 && entry.ripe === 0) this.#entries.delete(key)
    }
    const approvals = this.#approvals
    this.#approvals = []
    return { routes, approvals }
  }

  /** Counts what could not be written together with what came since. */
  putBack({ routes, approvals }: Taken, nowMs: number): void {
    for (const { sends, delivered, failed, ripe, savedMicros, ...route } of routes) {
      const entry = this.#entry(route, nowMs)
      if (!entry) continue
      entry.sends += sends
      entry.delivered += delivered
      entry.failed += failed
      entry.ripe += ripe
      entry.savedMicros += savedMicros
    }
    for (const approval of approvals) this.approved(approval)
  }

  #entry(route: Route, nowMs: number): Entry | undefined {
    const key = routeKey(route)
    const known = this.#entries.get(key)
    if (known || this.#entries.size >= mostRoutes) return known
    const entry = {
      route,
      ...none,
      unripe: 0,
      ripenedAtMs: nowMs,
      writtenAtMs: nowMs,
      paceMs: usualPaceMs * patience,
    }
    this.#entries.set(key, entry)
    return entry
  }
}

const none = { sends: 0, delivered: 0, failed: 0, ripe: 0, savedMicros: 0 } as const

function ripen(entry: Entry, nowMs: number): void {
  const elapsedMs = Math.max(0, nowMs - entry.ripenedAtMs)
  const ripened = entry.unripe * (1 - Math.exp(-elapsedMs / entry.paceMs))
  entry.ripe += ripened
  entry.unripe -= ripened
  entry.ripenedAtMs = nowMs
}

const isDue = ({ sends, delivered, failed, ripe, savedMicros, unripe, writtenAtMs }: Entry, nowMs: number) =>
  sends + delivered + failed > 0 ||
  savedMicros !== 0 ||
  Math.abs(ripe) >= worthWriting ||
  (ripe !== 0 && (unripe === 0 || nowMs - writtenAtMs >= writeEveryMs))

function takeFrom(entry: Entry, nowMs: number): NotedRoute {
  const { route, sends, delivered, failed, ripe, savedMicros } = entry
  Object.assign(entry, none)
  entry.writtenAtMs = nowMs
  return { ...route, sends, delivered, failed, ripe, savedMicros }
}
