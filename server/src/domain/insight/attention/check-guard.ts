/** What the guard holds back, its alarms, and the lists of addresses that it uses. */
import {
  expectedAgain,
  isOnlyWatched,
  listBlocks,
  lookUpFit,
  lookUpGuessing,
  type Misfit,
} from '../../guard/index.ts'
import { isTrial } from '../../routing/index.ts'
import { count, figure } from '../words.ts'
import { type AttentionDependencies, type Check, type Item, iso } from './attention.ts'

const onlyWatched = ' The guard only watches, so nothing is held back.'
const effects = {
  enforce: '',
  auto: ' While the guard is learning, it holds back only single addresses and ranges of up to 1,000 numbers, and carriers and countries as long as nobody has been approved or, while it is learning again, hardly anybody uses the code there. It never holds back messages to the simulator.',
  monitor: onlyWatched,
  off: onlyWatched,
} as const

export const checkBlocks: Check = async ({ database, keyring }, app) => {
  const blocks = await listBlocks({ database, keyring }, app)
  if (blocks.length === 0) return []
  const since = new Date(Math.min(...blocks.map(({ startedAtMs }) => startedAtMs)))
  const what = `${count(blocks.length, 'block')} against pumped traffic ${blocks.length === 1 ? 'is' : 'are'} active`
  const effect = effects[app.settings.pumping.mode]
  return [
    {
      kind: 'pumping_blocks',
      severity: 'warning',
      message: `${what}.${effect}`,
      since: iso(since),
      subject: app.appId,
    },
  ]
}

/** While the guard learns, most blocks are only watched; this item says what they would have held back. */
export const checkFit: Check = async ({ database, keyring, providers }, app) => {
  const fit = await lookUpFit({ database }, app)
  const { isLearning, misfitAtMs, misfit, sinceMs, numbers, approved, neededNumbers, notBeforeMs, watched } =
    fit
  if (!isLearning || app.settings.pumping.mode === 'off') return []
  if (misfitAtMs !== null) {
    const message = `The guard against pumping does not fit this app: ${sayMisfit(misfit)}. It is learning again, and meanwhile closes only single addresses, small ranges and places where hardly anybody uses the code. Set declared_conversion to the share of people who enter their code, or declare your countries.`
    const since = iso(new Date(misfitAtMs))
    return [{ kind: 'pumping_misfit', severity: 'warning', message, since, subject: app.appId }]
  }
  // The app has sent nothing: the blocks are of the company's other apps, and nothing was watched here.
  if (sinceMs === null) return []
  // If only the simulator carries messages, no block holds anything back.
  const isUnproven = fit.isUnproven && !isTrial(providers, app.companyId)
  const wide = (await listBlocks({ database, keyring }, app)).filter((block) =>
    isOnlyWatched(block, block, {
      isLearning,
      isUnproven,
      expectedAgain: expectedAgain(fit, app.settings.pumping.declared_conversion),
    }),
  )
  if (wide.length === 0) return []
  const seen = `${count(numbers, 'new number')} so far, ${figure(approved)} approved; it needs ${figure(neededNumbers)}, and goes on until ${new Date(notBeforeMs).toISOString().slice(0, 10)} UTC at the earliest`
  const message = `The guard against pumping is still learning what is usual for this app (${seen}). Until then, it only watches ${count(wide.length, 'wide block')}, which would have held back ${count(watched, 'message')}.`
  const since = new Date(Math.min(...wide.map(({ startedAtMs }) => startedAtMs)))
  return [{ kind: 'pumping_learning', severity: 'warning', message, since: iso(since), subject: app.appId }]
}

/**
 * Those let through are a sample, so that the others are people too is only likely. Those refused are seen once they
 * come back: that the approved ones among them were held back is certain.
 */
const misfitWords: Readonly<Record<Misfit['by'], readonly [who: string, therefore: string]>> = {
  passed: [
    'who were let through a closed place or sent to a link',
    'so those it holds back are probably real people too',
  ],
  refused: ['who were refused within a day', 'so it has held back real people'],
}

function sayMisfit(misfit: Misfit | null): string {
  const usual = 'hardly fewer than usual were approved'
  if (!misfit) return `of those it held back, ${usual}`
  const [who, therefore] = misfitWords[misfit.by]
  const [approved, numbers] = [misfit.approved, misfit.numbers].map((value) => figure(Math.round(value)))
  const expected = Math.round(misfit.expected * 100)
  return `of those ${who}, ${usual} (${approved} of ${numbers}, compared with ${expected} % of the app’s people), ${therefore}`
}

export const checkGuesses: Check = async ({ database }, app) => {
  const { alarm, recent, usualRatio } = await lookUpGuessing({ database }, app)
  if (!alarm) return []
  const usual = usualRatio === null ? '' : `; ${Math.round(usualRatio * 100)} % is usual`
  const message = `${figure(recent.failures)} of ${figure(recent.guesses)} codes entered in the last hour were wrong${usual}. Somebody may be guessing the codes of many verifications. Find out who starts them.`
  return [
    { kind: 'wrong_codes', severity: 'critical', message, since: iso(alarm.raisedAt), subject: app.appId },
  ]
}

export const checkIpSources: Check = async (dependencies) => findIpSources(dependencies)

export const findIpSources = ({ reputation }: Pick<AttentionDependencies, 'reputation'>): Item[] =>
  reputation.sources().flatMap(({ name, problem }): Item[] => {
    if (problem === null) return []
    const message = `The IP list ${name} cannot be relied on (${problem}).`
    return [{ kind: 'ip_source', severity: 'warning', message, since: null, subject: name }]
  })
