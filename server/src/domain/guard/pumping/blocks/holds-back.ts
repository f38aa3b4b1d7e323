/** Whether a block that is in force holds back messages of an app, or the app only watches it. */
import type { AppSettings } from '@countersign/contract'
import { fitNow } from '../fit/count-fit.ts'
import { expectedAgain, isLearning, isUnproven, noFit } from '../fit/fit.ts'
import { isOnlyWatched } from '../judging/judge.ts'
import { decodeFit } from '../stored/fit-text.ts'
import type { Block } from './block-store.ts'

/** `fitText` is the row of the app's fit as it is stored; null before its first send. */
export function holdsBack(
  block: Pick<Block, 'level' | 'numbers' | 'approved'>,
  { mode, declared_conversion: declared }: AppSettings['pumping'],
  fitText: string | null,
  nowMs: number,
): boolean {
  if (mode === 'off' || mode === 'monitor') return false
  const fit = fitText === null ? noFit : fitNow(decodeFit(fitText), nowMs)
  return !isOnlyWatched(block, block, {
    isLearning: isLearning(fit, mode === 'auto' && declared === null, nowMs),
    isUnproven: isUnproven(fit, declared),
    expectedAgain: expectedAgain(fit, declared),
  })
}
