/** What the guard holds back, its alarms, and the lists of addresses that it uses. */
import { isOnlyWatched, listBlocks, lookUpFit, lookUpGuessing, type Misfit } from '../../guard/index.ts'
import { isTrial } from '../../routing/index.ts'
import { count, figure } from '../words.ts'
import { type AttentionDependencies, type Check, type Item, iso } from './attention.ts'

const onlyWatched = '; the guard only watches, so nothing is held back'
const effects = {
  enforce: '',
  auto: '. While the guard learns, it holds back only single addresses, ranges of up to 1,000 numbers and, as long as nobody at all was approved, carriers and countries; and never what goes to the simulator',
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
      message: `${what}${effect}.`,
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
    const message = `The guard against pumping does not fit this app: most of those it held back turned out to be people${misfit ? ` (${sayMisfit(misfit)})` : ''}. It learns again, and meanwhile closes only single addresses and small ranges. Set declared_conversion to the share of people who type their code, or declare your countries.`
    const since = iso(new Date(misfitAtMs))
    return [{ kind: 'pumping_misfit', severity: 'warning', message, since, subject: app.appId }]
  }
  // The app has sent nothing: the blocks are of the company's other apps, and nothing was watched here.
  if (sinceMs === null) return []
  // If only the simulator carries messages, no block holds anything back.
  const isUnproven = fit.isUnproven && !isTrial(providers, app.companyId)
  const wide = (await listBlocks({ database, keyring }, app)).filter((block) =>
    isOnlyWatched(block, block, { isLearning, isUnproven }),
  )
  if (wide.length === 0) return []
  const seen = `${count(numbers, 'new number')} so far, ${figure(approved)} approved; it needs ${figure(neededNumbers)}, and until ${new Date(notBeforeMs).toISOString().slice(0, 10)} UTC at least`
  const message = `The guard against pumping still learns what is usual for this app (${seen}). Until then it only watches ${count(wide.length, 'wide block')}, which would have held back ${count(watched, 'message')}.`
  const since = new Date(Math.min(...wide.map(({ startedAtMs }) => startedAtMs)))
  return [{ kind: 'pumping_learning', severity: 'warning', message, since: iso(since), subject: app.appId }]
}

const sampleWords: Readonly<Record<Misfit['by'], string>> = {
  passed: 'let through closed places or sent to a link were approved',
  refused: 'refused within a day were approved later',
}

const sayMisfit = ({ by, numbers, approved, expected }: Misfit) =>
  `${figure(Math.round(approved))} of ${figure(Math.round(numbers))} who were ${sampleWords[by]}; of its people ${Math.round(expected * 100)} % are`

export const checkGuesses: Check = async ({ database }, app) => {
  const { alarm, recent, usualRatio } = await lookUpGuessing({ database }, app)
  if (!alarm) return []
  const usual = usualRatio === null ? '' : `; usual is ${Math.round(usualRatio * 100)} %`
  const message = `${figure(recent.failures)} of ${figure(recent.guesses)} codes entered in the last hour were wrong${usual}. Somebody may be trying codes on many verifications: look at who starts them.`
  return [
    { kind: 'wrong_codes', severity: 'critical', message, since: iso(alarm.raisedAt), subject: app.appId },
  ]
}

export const checkIpSources: Check = async (dependencies) => findIpSources(dependencies)

export const findIpSources = ({ reputation }: Pick<AttentionDependencies, 'reputation'>): Item[] =>
  reputation.sources().flatMap(({ name, problem }): Item[] => {
    if (problem === null) return []
    const message = `The list of addresses ${name} cannot be relied on: ${problem}.`
    return [{ kind: 'ip_source', severity: 'warning', message, since: null, subject: name }]
  })
