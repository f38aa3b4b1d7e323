/** What is known of an app's accounts by channel and country, as the choice among them uses it. */
import {
  type AccountChoice,
  type ChannelName,
  channelNames,
  type PriceBook,
  type RoutesAnswer,
} from '@countersign/contract'
import type { Database } from '../../platform/database.ts'
import { formatMicros, formatNearest, priceOfAccount, type ReadPrices } from '../billing/index.ts'
import {
  firstRank,
  hidesCost,
  type Judged,
  KnownRoutes,
  type Provider,
  type Providers,
  type RouteCounts,
  readRoutes as read,
  thousandths,
} from '../routing/index.ts'
import { type AppInForce, type AppRef, getApp, inForce } from '../tenancy/index.ts'
import { readAccountNames } from './account-name-store.ts'

export interface RoutesDependencies {
  readonly database: Database
  readonly providers: Providers
  readonly prices: ReadPrices
  readonly routingAccounts: AccountChoice
}

export interface RoutesRequest {
  readonly channel: ChannelName | null
  readonly country: string | null
  /** Companies must not see what the operator pays its carriers. */
  readonly isOperator: boolean
}

type Listed = RoutesAnswer['routes'][number]

interface ChannelInCountry {
  readonly channel: ChannelName
  readonly country: string | null
}

export async function readRoutes(
  { database, providers, prices, routingAccounts }: RoutesDependencies,
  ref: AppRef,
  request: RoutesRequest,
): Promise<RoutesAnswer> {
  const app = inForce(await getApp({ database }, ref), routingAccounts)
  const known = new KnownRoutes(await read(database.of(app.companyId), app.appId))
  const book = await prices()
  const listed = channelsInCountries(known.counts, request).flatMap((where) =>
    listAccounts({ app, known, book, isOperator: request.isOperator }, where, providers),
  )
  const ids = [...new Set(listed.map(({ provider_id }) => provider_id))]
  const names = await readAccountNames(database, app.companyId, ids)
  return {
    accounts: app.settings.routing.accounts,
    routes: listed.map((each) => ({ ...each, name: names.get(each.provider_id) ?? null })),
  }
}

/** Channels and countries to which something was sent, or that the request names. */
function channelsInCountries(
  counts: readonly RouteCounts[],
  { channel, country }: RoutesRequest,
): readonly ChannelInCountry[] {
  const asked = channelNames
    .filter((each) => channel === null || each === channel)
    .flatMap((each): ChannelInCountry[] =>
      each === 'email'
        ? channel === each && country === null
          ? [{ channel: each, country: null }]
          : []
        : country === null
          ? []
          : [{ channel: each, country }],
    )
  const seen = counts.filter(
    (row) => (channel === null || row.channel === channel) && (country === null || row.country === country),
  )
  const found = new Map([...seen, ...asked].map((each) => [`${each.channel} ${each.country ?? ''}`, each]))
  return [...found.keys()].sort().flatMap((key) => found.get(key) ?? [])
}

interface Looking {
  readonly app: AppInForce
  readonly known: KnownRoutes
  readonly book: PriceBook
  readonly isOperator: boolean
}

/** The accounts to choose among, and standby accounts that have carried something. */
function listAccounts(
  looking: Looking,
  { channel, country }: ChannelInCountry,
  providers: Providers,
): Listed[] {
  const { app, known, book } = looking
  const usable = providers.usable(app.companyId, channel, country)
  const first = firstRank(usable)
  const judge = (among: readonly Provider[]) =>
    among.length === 0
      ? []
      : known.judge(
          channel,
          country,
          among.map((provider) => ({
            providerId: provider.providerId,
            priceMicros: Number(priceOfAccount(book, provider, channel, country)),
          })),
          app.settings.routing.learned,
        )
  const { accounts } = app.settings.routing
  const chosen = judge(first).map((each, index) =>
    accounts === 'learned' ? each : { ...each, share: index === 0 ? 1 : 0 },
  )
  const after = judge(usable.filter((provider) => !first.includes(provider)))
  const standby = after.map((each) => ({ ...each, share: 0, state: 'standby' }) as const)
  return [...chosen, ...standby].flatMap((judged) => {
    const counts = known.counts.find(
      (row) => row.channel === channel && row.country === country && row.providerId === judged.providerId,
    )
    const provider = usable.find(({ providerId }) => providerId === judged.providerId)
    if (!provider || (judged.state === 'standby' && !counts)) return []
    return [present(looking, { channel, country }, provider, judged, counts)]
  })
}

function present(
  { isOperator }: Looking,
  where: ChannelInCountry,
  provider: Provider,
  judged: Omit<Judged, 'state'> & { readonly state: Listed['state'] },
  counts: RouteCounts | undefined,
): Listed {
  const isHidden = !isOperator && hidesCost(provider)
  const hasSent = counts !== undefined && counts.sends > 0
  const cost = (micros: number) => (isHidden || !hasSent ? null : formatNearest(micros))
  return {
    provider_id: judged.providerId,
    name: null,
    ...where,
    sends: counts?.sends ?? 0,
    delivered: counts?.delivered ?? 0,
    failed: counts?.failed ?? 0,
    approved: counts?.approved ?? 0,
    seconds_to_approve:
      counts && counts.approved > 0 ? Math.round(counts.approveMs / counts.approved) / 1_000 : null,
    price: isHidden ? null : formatNearest(judged.priceMicros),
    conversion: hasSent ? thousandths(judged.conversion) : null,
    cost_per_approval: cost(judged.costMicros),
    low: cost(judged.costLowMicros),
    high: cost(judged.costHighMicros),
    share: thousandths(judged.share),
    state: judged.state,
    saved: formatMicros(isHidden ? 0n : (counts?.savedMicros ?? 0n)),
  }
}
