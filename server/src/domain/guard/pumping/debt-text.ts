/**
 * Debts as they are stored: numbers one after the other, in three groups, the last two only where they are needed. A
 * stranger has half a dozen of them, and JSON would cost PostgreSQL and us several times as much.
 */
import { isParent } from './barrier.ts'
import { type Debt, type Due, dueAtMs, noDebt } from './debt.ts'
import { type Level, laneQuietMs, levelRules, secondHalfAfterMs, strikesKeptMs } from './levels.ts'
import { NumberReader, tenThousandths as tenth } from './numbers-text.ts'

/** Which groups follow the first one. */
const wideGroup = 1
const closedGroup = 2

export function encodeDebt(level: Level, debt: Debt): string {
  const groups = (isWide(level) ? wideGroup : 0) + (wasClosed(debt) ? closedGroup : 0)
  const wide = groups & wideGroup ? `:${wideText(debt)}` : ''
  const closed = groups & closedGroup ? `:${closedText(debt)}` : ''
  return `${groups}:${usualText(debt)}${wide}${closed}`
}

/** What only carriers and countries need is not kept of others. */
export const isWide = (level: Level) => isParent(level) || level === 'unfamiliar' || level === 'issuer'

/** Or lifted. Whatever else is in the last group comes with one of these. */
const wasClosed = ({ heldUntilMs, blockedUntilMs, liftedUntilMs, strikes, struckAtMs, threshold }: Debt) =>
  heldUntilMs + blockedUntilMs + liftedUntilMs + strikes + struckAtMs + threshold > 0

const usualText = (debt: Debt) =>
  `${tenth(debt.debt)}:${debt.atMs}:${debt.numbers}:${debt.approved}:${tenth(debt.asked)}:${debt.askedAtMs}:${dueText(debt)}`

const wideText = (debt: Debt) =>
  `${tenth(debt.sent)}:${tenth(debt.recent)}:${tenth(debt.newcomers)}:${tenth(debt.mostAsked)}:${tenth(debt.usualNumbers)}:${tenth(debt.usualApproved)}:${tenth(debt.laneDebt)}:${timeText(debt.laneAtMs)}:${debt.sinceMs}:${tenth(debt.delayMs)}`

const closedText = (debt: Debt) =>
  `${debt.blockedUntilMs}:${debt.heldUntilMs}:${debt.liftedUntilMs}:${debt.strikes}:${debt.struckAtMs}:${tenth(debt.limit)}:${tenth(debt.threshold)}:${debt.isForMissing ? 1 : 0}:${timeText(debt.scoutAtMs)}:${tenth(debt.scoutGapMs)}`

/** Of times that fall between two milliseconds: the first of them, and what is more. */
function timeText(timeMs: number): string {
  const whole = Math.floor(timeMs)
  return `${whole}:${tenth(timeMs - whole)}`
}

/**
 * How many there are, and of each its slot, counted from the one before, what is unapproved, sent and still to fall due
 * of it.
 */
function dueText({ due, atMs }: Debt): string {
  let text = `${due.length}`
  let before = 0
  for (const [slot, unapproved, sent, points] of due) {
    text += `:${slot - before}:${unapproved}:${sent}:${dueAtMs(slot) > atMs ? tenth(points) : 0}`
    before = slot
  }
  return text
}

function readDue(numbers: NumberReader): Due {
  const count = numbers.whole()
  if (count === 0) return noDebt.due
  const due: Due[number][] = []
  let slot = 0
  for (let index = 0; index < count; index++) {
    slot += numbers.whole()
    due.push([slot, numbers.whole(), numbers.whole(), numbers.tenThousandths()])
  }
  return due
}

export function decodeDebt(text: string): Debt {
  const numbers = new NumberReader(text)
  const groups = numbers.whole()
  const usual = readUsual(numbers)
  const wide = groups & wideGroup ? readWide(numbers) : noDebt
  const closed = groups & closedGroup ? readClosed(numbers) : noDebt
  // Field by field: objects of one shape are what is quick.
  return {
    debt: usual.debt,
    atMs: usual.atMs,
    due: usual.due,
    numbers: usual.numbers,
    approved: usual.approved,
    sent: wide.sent,
    recent: wide.recent,
    asked: usual.asked,
    askedAtMs: usual.askedAtMs,
    newcomers: wide.newcomers,
    mostAsked: wide.mostAsked,
    usualNumbers: wide.usualNumbers,
    usualApproved: wide.usualApproved,
    blockedUntilMs: closed.blockedUntilMs,
    heldUntilMs: closed.heldUntilMs,
    liftedUntilMs: closed.liftedUntilMs,
    strikes: closed.strikes,
    struckAtMs: closed.struckAtMs,
    limit: closed.limit,
    threshold: closed.threshold,
    isForMissing: closed.isForMissing,
    scoutAtMs: closed.scoutAtMs,
    scoutGapMs: closed.scoutGapMs,
    laneDebt: wide.laneDebt,
    laneAtMs: wide.laneAtMs,
    sinceMs: wide.sinceMs,
    delayMs: wide.delayMs,
  }
}

/** Properties are read in the order in which they are written here, which is that of the text. */
const readUsual = (numbers: NumberReader) => ({
  debt: numbers.tenThousandths(),
  atMs: numbers.whole(),
  numbers: numbers.whole(),
  approved: numbers.whole(),
  asked: numbers.tenThousandths(),
  askedAtMs: numbers.whole(),
  due: readDue(numbers),
})

const readWide = (numbers: NumberReader) => ({
  sent: numbers.tenThousandths(),
  recent: numbers.tenThousandths(),
  newcomers: numbers.tenThousandths(),
  mostAsked: numbers.tenThousandths(),
  usualNumbers: numbers.tenThousandths(),
  usualApproved: numbers.tenThousandths(),
  laneDebt: numbers.tenThousandths(),
  laneAtMs: numbers.whole() + numbers.tenThousandths(),
  sinceMs: numbers.whole(),
  delayMs: numbers.tenThousandths(),
})

const readClosed = (numbers: NumberReader) => ({
  blockedUntilMs: numbers.whole(),
  heldUntilMs: numbers.whole(),
  liftedUntilMs: numbers.whole(),
  strikes: numbers.whole(),
  struckAtMs: numbers.whole(),
  limit: numbers.tenThousandths(),
  threshold: numbers.tenThousandths(),
  isForMissing: numbers.whole() === 1,
  scoutAtMs: numbers.whole() + numbers.tenThousandths(),
  scoutGapMs: numbers.tenThousandths(),
})

const dayMs = 86_400_000
const familiarKeptMs = 120 * dayMs
/** A company is tried out once, and what is normal for an app stays known. */
export const keptForeverMs = 3_650 * dayMs
const negligible = 0.25

/** When a debt no longer says anything. */
export function debtOverMs(level: Level, debt: Debt): number {
  if (level === 'trial') return debt.atMs + keptForeverMs
  let waiting = 0
  for (const [, unapproved] of debt.due) waiting += unapproved
  const size = Math.abs(debt.debt) + waiting
  const decayMs = levelRules[level].halfLifeMs * Math.max(0, Math.log2(size / negligible))
  const isUsual = (isParent(level) || level === 'issuer') && debt.usualApproved >= 1
  return Math.max(
    debt.atMs + secondHalfAfterMs + decayMs,
    debt.askedAtMs + laneQuietMs,
    debt.blockedUntilMs,
    debt.heldUntilMs,
    debt.liftedUntilMs,
    debt.strikes > 0 ? debt.struckAtMs + strikesKeptMs : 0,
    isUsual ? debt.atMs + familiarKeptMs : 0,
  )
}
