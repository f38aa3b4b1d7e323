/**
 * Numbers in the form in which they are stored: each after the letter that names it; zeros are left out. An unknown
 * letter is skipped with its number. Reading and writing these numbers is most of what the guard costs.
 */
export interface Key {
  readonly letter: string
  readonly code: number
  /** The factor that a value is multiplied by, since only whole numbers are stored. */
  readonly per: number
}

/** The key of a time that may have a fraction of a millisecond: the whole milliseconds, and the rest. */
export interface TimeKey extends Key {
  readonly rest: Key
}

const keyOf = (letter: string, per: number): Key => ({ letter, code: letter.charCodeAt(0), per })
export const whole = (letter: string): Key => keyOf(letter, 1)
/** Stored in ten-thousandths: exact enough for everything that is compared with it. */
export const fraction = (letter: string): Key => keyOf(letter, 10_000)
export const time = (letter: string, rest: string): TimeKey => ({ ...whole(letter), rest: fraction(rest) })

/** Small enough to be inlined: most fields of most places are zero. */
export const write = (key: Key, value: number): string => (value === 0 ? '' : textOf(key, value))
export const writeFlag = (key: Key, is: boolean): string => write(key, is ? 1 : 0)

function textOf({ letter, per }: Key, value: number): string {
  const stored = per === 1 ? value : Math.round(value * per)
  return stored === 0 ? '' : letter + stored
}

export function writeTime(key: TimeKey, timeMs: number): string {
  const wholeMs = Math.floor(timeMs)
  return write(key, wholeMs) + write(key.rest, timeMs - wholeMs)
}

/** The fields of a text, by name. */
type Fields = Readonly<Record<string, Key | TimeKey>>

/** The divisor of the number after each letter. */
export function scalesOf(...tables: readonly Fields[]): Float64Array {
  const scales = new Float64Array(codes).fill(1)
  for (const key of tables.flatMap((table) => Object.values(table)))
    for (const { code, per } of 'rest' in key ? [key, key.rest] : [key]) scales[code] = per
  return scales
}

/** The keys of the list that a text may have: each `after` begins an entry, that many slots of time after the last. */
export const slotKeys = {
  after: whole('D'),
  unapproved: whole('U'),
  sent: whole('N'),
  points: fraction('P'),
} as const

type Slot = readonly [slot: number, unapproved: number, sent: number, points: number]

const codes = 128
/**
 * The numbers that were read, by letter. Shared by all texts: making an array takes longer than reading a text, and two
 * texts are never read at once.
 */
const found = new Float64Array(codes)

/**
 * Reads the text up to `end`, digit by digit, and replaces what was read before. It is one function with its own
 * constants: a call for each number takes a third longer, and constants of the module a tenth.
 */
export function readNumbers(text: string, end: number, scales: Float64Array): Slot[] {
  const [minus, zero, nine] = [45, 48, 57]
  const begins = slotKeys.after.code
  const numbers = found.fill(0)
  const slots: Slot[] = []
  let slot = 0
  for (let at = 0; at < end; ) {
    const letter = text.charCodeAt(at++)
    let value = 0
    let isNegative = false
    for (; at < end; at++) {
      const code = text.charCodeAt(at)
      if (code > nine) break
      if (code === minus) isNegative = true
      else value = value * 10 + code - zero
    }
    if (isNegative) value = -value
    if (letter === begins) {
      if (slot > 0) slots.push(takeSlot(slot))
      slot += value
    } else {
      numbers[letter] = value / (scales[letter] ?? 1)
    }
  }
  if (slot > 0) slots.push(takeSlot(slot))
  return slots
}

function takeSlot(slot: number): Slot {
  const { unapproved, sent, points } = slotKeys
  const taken = [slot, read(unapproved), read(sent), read(points)] as const
  found[unapproved.code] = 0
  found[sent.code] = 0
  found[points.code] = 0
  return taken
}

/** Reads a number of the text that was read last. */
export const read = (key: Key): number => found[key.code] ?? 0
export const readFlag = (key: Key): boolean => read(key) === 1
export const readTime = (key: TimeKey): number => read(key) + read(key.rest)
