/** Most scenarios share the quiet days before the day that is counted, so those days are played only once. */
import type { Loaded } from '../../server/src/domain/guard/pumping/index.ts'
import { createEngine } from './engine.ts'
import { type Approval, type Played, play, playOn } from './replay.ts'
import type { Scenario } from './scenario.ts'
import type { Send } from './traffic.ts'

interface History {
  readonly sends: readonly Send[]
  readonly declared: string
  readonly known: Loaded
  readonly pending: readonly Approval[]
}

/** The latest history of each length is enough, because scenarios are measured volume by volume and seed by seed. */
const histories = new Map<number, History>()
const mostHistories = 3

export function playAfterHistory(
  { sends, quietUntil }: Scenario,
  declaredCountries: readonly string[],
): Played[] {
  const days = sends.filter(({ t }) => t < quietUntil)
  const { known, pending } = historyOf(days, declaredCountries)
  return play(sends.slice(days.length), createEngine(declaredCountries, known), pending)
}

function historyOf(sends: readonly Send[], declaredCountries: readonly string[]): History {
  const declared = declaredCountries.join()
  const before = histories.get(sends.length)
  if (before && before.declared === declared && isSame(before.sends, sends)) return before
  const engine = createEngine(declaredCountries)
  const { pending } = playOn(sends, engine)
  const history = { sends, declared, known: engine.takeKnown(), pending }
  histories.delete(sends.length)
  histories.set(sends.length, history)
  for (const oldest of [...histories.keys()].slice(0, -mostHistories)) histories.delete(oldest)
  return history
}

const isSame = (one: readonly Send[], other: readonly Send[]) =>
  one.length === other.length &&
  one.every(
    ({ t, recipient, clientIp, approvesAfter }, index) =>
      other[index]?.t === t &&
      other[index].recipient === recipient &&
      other[index].clientIp === clientIp &&
      other[index].approvesAfter === approvesAfter,
  )
