/**
 * Debts in the form in which they are stored: a letter before each number, and nothing for a zero. Each stranger has
 * half a dozen debts, and JSON would cost PostgreSQL and the service several times as much.
 */
import { isParent } from '../debt/barrier.ts'
import { type Debt, dueAtMs, noDebt } from '../debt/debt.ts'
import { type Level, laneQuietMs, levelRules, secondHalfAfterMs, strikesKeptMs } from '../levels.ts'
import {
  fraction,
  read,
  readFlag,
  readNumbers,
  readTime,
  scalesOf,
  slotKeys,
  time,
  whole,
  write,
  writeFlag,
  writeTime,
} from './numbers-text.ts'

/** All letters. A letter that is no longer used is not given to another field, since stored rows may still have it. */
export const debtKeys = {
  debt: fraction('d'),
  atMs: whole('t'),
  numbers: whole('n'),
  approved: whole('y'),
  asked: fraction('a'),
  askedAtMs: whole('A'),
  blockedUntilMs: whole('B'),
  heldUntilMs: whole('H'),
  liftedUntilMs: whole('L'),
  strikes: whole('k'),
  struckAtMs: whole('K'),
  limit: fraction('l'),
  threshold: fraction('h'),
  isForMissing: whole('m'),
  scoutAtMs: time('S', 's'),
  scoutGapMs: fraction('g'),
  isSimulated: whole('z'),
} as const

/** Fields of carriers and countries only. An address keeps just the share of its codes that is typed, and how soon. */
export const wideKeys = {
  sent: fraction('o'),
  recent: fraction('r'),
  newcomers: fraction('c'),
  mostAsked: fraction('q'),
  usualNumbers: fraction('u'),
  usualApproved: fraction('v'),
  laneDebt: fraction('w'),
  laneAtMs: time('W', 'x'),
  sinceMs: whole('F'),
  delayMs: fraction('e'),
} as const

const scales = scalesOf(debtKeys, wideKeys, slotKeys)

const isWide = (level: Level) => isParent(level) || level === 'unfamiliar' || level === 'issuer'
/** The text of a range's debt does not depend on its level. */
export const isRange = (level: Level) => !isWide(level) && level !== 'ip'

/** Written field by field, here and below, since a loop over the tables takes a third longer. */
export const encodeDebt = (level: Level, debt: Debt): string =>
  usualText(debt) + (isWide(level) ? wideText(debt) : level === 'ip' ? typedText(debt) : '') + dueText(debt)

const usualText = (debt: Debt) =>
  write(debtKeys.debt, debt.debt) +
  write(debtKeys.atMs, debt.atMs) +
  write(debtKeys.numbers, debt.numbers) +
  write(debtKeys.approved, debt.approved) +
  write(debtKeys.asked, debt.asked) +
  write(debtKeys.askedAtMs, debt.askedAtMs) +
  write(debtKeys.blockedUntilMs, debt.blockedUntilMs) +
  write(debtKeys.heldUntilMs, debt.heldUntilMs) +
  write(debtKeys.liftedUntilMs, debt.liftedUntilMs) +
  write(debtKeys.strikes, debt.strikes) +
  write(debtKeys.struckAtMs, debt.struckAtMs) +
  write(debtKeys.limit, debt.limit) +
  write(debtKeys.threshold, debt.threshold) +
  writeFlag(debtKeys.isForMissing, debt.isForMissing) +
  writeTime(debtKeys.scoutAtMs, debt.scoutAtMs) +
  write(debtKeys.scoutGapMs, debt.scoutGapMs) +
  writeFlag(debtKeys.isSimulated, debt.isSimulated)

const wideText = (debt: Debt) =>
  write(wideKeys.sent, debt.sent) +
  write(wideKeys.recent, debt.recent) +
  write(wideKeys.newcomers, debt.newcomers) +
  write(wideKeys.mostAsked, debt.mostAsked) +
  write(wideKeys.laneDebt, debt.laneDebt) +
  writeTime(wideKeys.laneAtMs, debt.laneAtMs) +
  write(wideKeys.sinceMs, debt.sinceMs) +
  typedText(debt)

const typedText = (debt: Debt) =>
  write(wideKeys.usualNumbers, debt.usualNumbers) +
  write(wideKeys.usualApproved, debt.usualApproved) +
  (debt.delayMs === noDebt.delayMs ? '' : write(wideKeys.delayMs, debt.delayMs))

/** Points that have fallen due are already part of the debt, and are not written. */
function dueText({ due, atMs }: Debt): string {
  let text = ''
  let before = 0
  for (const [slot, unapproved, sent, points] of due) {
    text +=
      write(slotKeys.after, slot - before) +
      write(slotKeys.unapproved, unapproved) +
      write(slotKeys.sent, sent)
    if (dueAtMs(slot) > atMs) text += write(slotKeys.points, points)
    before = slot
  }
  return text
}

export function decodeDebt(text: string): Debt {
  const due = readNumbers(text, text.length, scales)
  return {
    debt: read(debtKeys.debt),
    atMs: read(debtKeys.atMs),
    due,
    numbers: read(debtKeys.numbers),
    approved: read(debtKeys.approved),
    sent: read(wideKeys.sent),
    recent: read(wideKeys.recent),
    asked: read(debtKeys.asked),
    askedAtMs: read(debtKeys.askedAtMs),
    newcomers: read(wideKeys.newcomers),
    mostAsked: read(wideKeys.mostAsked),
    usualNumbers: read(wideKeys.usualNumbers),
    usualApproved: read(wideKeys.usualApproved),
    blockedUntilMs: read(debtKeys.blockedUntilMs),
    heldUntilMs: read(debtKeys.heldUntilMs),
    liftedUntilMs: read(debtKeys.liftedUntilMs),
    strikes: read(debtKeys.strikes),
    struckAtMs: read(debtKeys.struckAtMs),
    limit: read(debtKeys.limit),
    threshold: read(debtKeys.threshold),
    isForMissing: readFlag(debtKeys.isForMissing),
    scoutAtMs: readTime(debtKeys.scoutAtMs),
    scoutGapMs: read(debtKeys.scoutGapMs),
    laneDebt: read(wideKeys.laneDebt),
    laneAtMs: readTime(wideKeys.laneAtMs),
    sinceMs: read(wideKeys.sinceMs),
    delayMs: read(wideKeys.delayMs) || noDebt.delayMs,
    isSimulated: readFlag(debtKeys.isSimulated),
  }
}

const dayMs = 86_400_000
const familiarKeptMs = 120 * dayMs
/** How long a company's trial, which is not repeated, and an app's fit are kept. */
export const keptForeverMs = 3_650 * dayMs
const negligible = 0.25

/** When a debt can be forgotten. */
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
