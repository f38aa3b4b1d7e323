/** Applies a request to an app's settings, and finds what is wrong with the result. */
import { type FieldProblem, parseFields } from '../errors/field-problems.ts'
import { type AppSettings, appSettings, type LimitWindow } from './settings.ts'

type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json }
const isObject = (value: unknown): value is Record<string, Json> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Settings are not nested deeper, but the body of a request may be, thousands of times. */
const deepest = 8

/** Objects are merged, lists and values are replaced, null removes a key so that its default returns. */
export function mergeSettings(current: Json, patch: Json, depth = 0): Json {
  if (depth === deepest || !isObject(patch) || !isObject(current)) return patch
  const merged: Record<string, Json> = { ...current }
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete merged[key]
    else if (key !== '__proto__') merged[key] = mergeSettings(merged[key] ?? {}, value, depth + 1)
  }
  return merged
}

interface Changed {
  /** Absent if the schema refuses the settings. */
  readonly settings?: AppSettings
  readonly problems: readonly FieldProblem[]
}

/** The settings after a request, and what is wrong with them. */
export function changedSettings(current: object, requested: object): Changed {
  // Both come from JSON: the stored settings and the request.
  const { data, problems } = parseFields(appSettings, mergeSettings(current as Json, requested as Json))
  if (problems) return { problems }
  // Parsed, so that defaults are filled in.
  const { data: before } = parseFields(appSettings, current)
  return { settings: data, problems: findConflicts(data, requested, before) }
}

/**
 * What the schema alone cannot check, judged only if this request sets it: an order that names a channel which is
 * switched off (unless it was stored like that, or this request switches it off too), an audience that is the id of an
 * app, texts that are too long in all (unless they were as long before), and a narrow limit that is not below its wider
 * one (unless both stood like that, or null restores the default). Limits are compared by their slowest rate. The limit
 * for calls without an address is also compared with that of one address, by how many calls may pass at once. `before`
 * is null if the stored settings are no longer valid.
 */
export function findConflicts(
  settings: AppSettings,
  requested: unknown,
  before: AppSettings | null,
): FieldProblem[] {
  const asked = isObject(requested) ? requested : {}
  return [
    ...orderConflicts(settings, asked, before?.routing),
    ...limitConflicts(settings, asked, before?.limits),
    ...audienceConflicts(settings, asked),
    ...textConflicts(settings, asked, before),
  ]
}

/** By default the audience is the id of the app itself, so no other app may claim such an id. */
function audienceConflicts({ proof }: AppSettings, asked: Record<string, Json>): FieldProblem[] {
  if (!('proof' in asked) || !proof.audience?.startsWith('app_')) return []
  return [
    { path: 'proof.audience', message: 'must not be the id of an app; leave it out for that of this one' },
  ]
}

/** All texts are read and checked whenever the app is changed, so ten times as many would hold up everybody's calls. */
const mostText = 1_000_000

const lengthOf = ({ messages }: AppSettings) => JSON.stringify(messages).length

/** Texts that are already too long, such as those of before the bound, can be shortened one after the other. */
function textConflicts(
  settings: AppSettings,
  asked: Record<string, Json>,
  before: AppSettings | null,
): FieldProblem[] {
  if (!('messages' in asked)) return []
  const length = lengthOf(settings)
  if (length <= mostText || (before && length <= lengthOf(before))) return []
  return [{ path: 'messages', message: `must have at most ${mostText} characters in all, as JSON` }]
}

type Order = AppSettings['routing']['default']

function orderConflicts(
  settings: AppSettings,
  asked: Record<string, Json>,
  before: AppSettings['routing'] | undefined,
): FieldProblem[] {
  const askedRouting = isObject(asked.routing) ? asked.routing : {}
  const askedChannels = isObject(asked.channels) ? asked.channels : {}
  const askedCountries = isObject(askedRouting.countries) ? askedRouting.countries : {}
  const lists: [string, Order | undefined, Order | undefined][] = []
  if ('default' in askedRouting) lists.push(['routing.default', settings.routing.default, before?.default])
  for (const code of Object.keys(askedCountries))
    lists.push([`routing.countries.${code}`, settings.routing.countries[code], before?.countries[code]])
  return lists.flatMap(([path, list, stands]) => {
    if (!list || list.join() === stands?.join()) return []
    // A request that switches a channel off and still lists it means both: the order skips it.
    return list.flatMap((channel, index) =>
      settings.channels[channel].enabled || channel in askedChannels
        ? []
        : [{ path: `${path}.${index}`, message: `names ${channel}, which is not enabled for this app` }],
    )
  })
}

const sustainedRate = (list: readonly LimitWindow[]) =>
  Math.min(...list.map((rule) => rule.max / rule.window_s))
const atOnce = (list: readonly LimitWindow[]) => Math.min(...list.map((rule) => rule.max))

function limitConflicts(
  settings: AppSettings,
  asked: Record<string, Json>,
  before: AppSettings['limits'] | undefined,
): FieldProblem[] {
  const isAsStored = (name: keyof AppSettings['limits']) =>
    JSON.stringify(settings.limits[name]) === JSON.stringify(before?.[name])
  const askedLimits = isObject(asked.limits) ? asked.limits : {}
  // Calls without an address share one count, so fewer of them may pass at once.
  const pairs = [
    ['flagged_ip', 'ip', sustainedRate, 'must be below `limits.ip`'],
    ['app_without_ip', 'app', sustainedRate, 'must be below `limits.app`'],
    ['app_without_ip', 'ip', atOnce, 'must let fewer pass at once than `limits.ip`'],
  ] as const
  return pairs.flatMap(([tight, wide, measure, message]) =>
    (askedLimits[tight] ?? null) !== null &&
    !(isAsStored(tight) && isAsStored(wide)) &&
    measure(settings.limits[tight]) >= measure(settings.limits[wide])
      ? [{ path: `limits.${tight}`, message }]
      : [],
  )
}
