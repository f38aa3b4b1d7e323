/**
 * Once a second, adds what this node has seen of routes to what all nodes know, for apps that choose their accounts by
 * it and for those that could. What is no longer true of a route is then forgotten.
 */
import type { ChannelName } from '@countersign/contract'
import {
  addToRoutes,
  firstRank,
  forget,
  type Providers,
  type RouteBook,
  replaceMemories,
  type TakenRoutes,
  type WrittenRoute,
} from '../domain/routing/index.ts'
import type { Directory } from '../domain/tenancy/index.ts'
import type { Clock } from '../platform/clock.ts'
import type { Database } from '../platform/database.ts'
import type { AppId, CompanyId } from '../platform/ids.ts'
import type { Log } from '../platform/log.ts'
import { oneAtATime } from '../platform/one-at-a-time.ts'
import { writeOften } from './write-often.ts'

const everyMs = 1_000
/** Fewer approvals say too little about how quickly codes are typed. */
const approvalsForPace = 10

export interface RouteWriterDependencies {
  readonly database: Database
  readonly clock: Clock
  readonly routeBook: RouteBook
  readonly providers: Pick<Providers, 'usable'>
  readonly directory: Pick<Directory, 'findApp'>
  readonly log: Log
}

export interface RouteWriter {
  /** Resolves when everything that this node has seen so far is written. */
  readonly write: () => Promise<void>
  readonly close: () => Promise<void>
}

export function startRouteWriter(dependencies: RouteWriterDependencies): RouteWriter {
  const { database, clock, routeBook, log } = dependencies
  /** One at a time, so that when a write resolves, everything taken before is written. */
  const write = oneAtATime(async (isLast: boolean) => {
    const taken = routeBook.take(clock.nowMs(), isLast)
    try {
      const followed = await followedOf(dependencies, taken)
      if (followed.routes.length + followed.approvals.length > 0)
        await learn(dependencies, await addToRoutes(database, followed))
    } catch (error) {
      routeBook.putBack(taken, clock.nowMs())
      throw error
    }
  })
  const { close } = writeOften({ everyMs, write, log, waits: 'what is known of routes waits to be written' })
  return { write: () => write(false), close }
}

async function learn(
  { database, routeBook }: RouteWriterDependencies,
  rows: readonly WrittenRoute[],
): Promise<void> {
  for (const row of rows)
    if (row.approved >= approvalsForPace) routeBook.learnPace(row, row.approveMs / row.approved)
  const changed = rows.flatMap((row) => {
    const memories = forget(row.memories)
    return memories === row.memories ? [] : [{ ...row, memories }]
  })
  if (changed.length > 0) await replaceMemories(database, changed)
}

/** Keeps only routes worth learning about: where there is a choice of accounts, or the app asks for learned routes. */
async function followedOf(
  { providers, directory }: RouteWriterDependencies,
  { routes, approvals }: TakenRoutes,
): Promise<TakenRoutes> {
  type Asked = { readonly companyId: CompanyId; readonly appId: AppId; readonly channel: ChannelName }
  const answers = new Map<string, boolean>()
  for (const { companyId, appId, channel } of [...routes, ...approvals] as readonly Asked[]) {
    const name = `${appId} ${channel}`
    if (answers.has(name)) continue
    const hasChoice = firstRank(providers.usable(companyId, channel, null)).length > 1
    const app = hasChoice ? undefined : await directory.findApp(appId)
    answers.set(name, hasChoice || app?.settings.routing.accounts === 'learned')
  }
  const isFollowed = ({ appId, channel }: Asked) => answers.get(`${appId} ${channel}`) === true
  return { routes: routes.filter(isFollowed), approvals: approvals.filter(isFollowed) }
}
