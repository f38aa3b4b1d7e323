/** What share of an app's people is expected to type the code, and how much it says when one does not. */
import { usualRate } from '../debt/debt.ts'
import { isOutstanding } from '../judging/outlook.ts'
import {
  askedMs,
  attackShare,
  convertingCountryShare,
  declaredNumbers,
  firstConversion,
  fullWeightConversion,
  knownFullConversion,
  knownNumbers,
  leastConversion,
  newCountryShare,
  unprovenConversion,
} from '../levels.ts'
import { type CountryTally, type Fit, isEstablished, isHome, isLongUsed, tallyIn } from './fit.ts'
import { counted, lowerShare, none, type Tally, upperShare } from './tally.ts'

/** The tally without sends whose codes may still be typed. */
function withoutPending({ numbers, approved }: Tally, { pending }: Fit): Tally {
  const waiting = pending.reduce((sum, [, unapproved]) => sum + unapproved, 0)
  return { numbers: Math.max(approved, numbers - waiting), approved }
}

const declaredTally = (declared: number | null): Tally =>
  declared === null ? none : { numbers: declaredNumbers, approved: declared * declaredNumbers }

/** The share of new numbers in the whole app that is expected to be approved. */
export const conversionOf = (fit: Fit, declared: number | null): number =>
  conversionBy(withoutPending(fit.strangers, fit), declared)

function conversionBy(tally: Tally, declared: number | null): number {
  const said = declaredTally(declared)
  const seen = counted(tally, said.numbers, said.approved)
  const least = seen.numbers < knownNumbers ? firstConversion : leastConversion
  return Math.max(least, lowerShare(seen))
}

const knownConversionOf = (fit: Fit, declared: number | null): number =>
  fit.known.numbers < knownNumbers
    ? conversionOf(fit, declared)
    : Math.max(leastConversion, lowerShare(fit.known))

/**
 * The expected share of known recipients in one country. `there` counts the sends to them: if they have long used fewer
 * codes than elsewhere, that is usual.
 */
export function knownConversionIn(fit: Fit, there: CountryTally, declared: number | null): number {
  const overall = knownConversionOf(fit, declared)
  return isLongUsed(fit, there.approved, there.sinceMs)
    ? Math.max(leastConversion, Math.min(overall, lowerShare(there)))
    : overall
}

/**
 * The expected share in one country: by the country's own figures once it is established or has most of the app's
 * people, otherwise by the app as a whole. `asked`: how many strangers ask there now.
 */
export function conversionIn(fit: Fit, region: string, declared: number | null, asked: number): number {
  const tally = tallyIn(fit, region)
  if (isEstablished(fit, region)) return Math.max(leastConversion, lowerShare(tally))
  const rest = counted(fit.strangers, -tally.numbers, -tally.approved)
  // Most of the app's people are here, so there is hardly an elsewhere to compare with.
  if (tally.approved >= rest.approved && isHome(fit, region))
    return conversionBy(withoutPending(tally, fit), declared)
  const overall = conversionOf(fit, declared)
  if (tally.approved < 3) return Math.max(leastConversion, newCountryShare * overall)
  return (
    crowdsMeasure(fit, tally, declared, asked) ?? Math.max(leastConversion, convertingCountryShare * overall)
  )
}

/**
 * A crowd that types far fewer codes than the rest of the app is not a weak market. If most approvals come from the
 * rest, the crowd is measured by the rest alone, since it would lower the app's own share.
 */
function crowdsMeasure(fit: Fit, tally: CountryTally, declared: number | null, asked: number): number | null {
  const rest = counted(fit.strangers, -tally.numbers, -tally.approved)
  if (rest.approved <= tally.approved) return null
  const usual = usualRate({ atMs: fit.atMs, sinceMs: fit.sinceMs, usualNumbers: rest.numbers }) * askedMs
  const conversion = conversionBy(rest, declared)
  const isFar = upperShare(withoutPending(tally, fit)) < convertingCountryShare * conversion
  return isFar && isOutstanding(asked, usual) ? conversion : null
}

/**
 * How much one send without an approval says, compared with an app where three quarters type the code. Where few type
 * it, a code that is not typed is hardly news. The weight is the logarithm of how much likelier that is in an attack.
 */
export const weightOf = (conversion: number): number =>
  Math.min(1, surprise(conversion) / surprise(fullWeightConversion))

/** Known recipients have typed codes before, so a lower share already counts in full. */
export const knownWeightOf = (conversion: number): number =>
  Math.min(1, weightOf(conversion) / weightOf(knownFullConversion))

const surprise = (conversion: number) => Math.log((1 - attackShare * conversion) / (1 - conversion))

/** Before anybody has typed a code, half of the people are assumed to. */
export const unprovenWeight = weightOf(unprovenConversion)
