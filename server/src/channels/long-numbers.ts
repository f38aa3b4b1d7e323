/**
 * Ids of 64 bits do not fit into JavaScript's numbers: `JSON.parse` rounds them, and then two messages share an id, or a
 * receipt that has it as text does not find its message.
 */

/** Every whole number with fewer digits is exact. */
const MIN_DIGITS = 16
const QUOTE = 0x22
const BACKSLASH = 0x5c

/** Puts long whole numbers into quotation marks, and changes nothing else. */
export function quoteLongNumbers(json: string): string {
  let quoted = ''
  let copied = 0
  let isText = false
  for (let at = 0; at < json.length; at++) {
    const character = json.charCodeAt(at)
    if (character === QUOTE) isText = !isText
    else if (isText && character === BACKSLASH) at++
    else if (!isText && isDigit(character)) {
      const end = endOfDigits(json, at)
      if (end - at >= MIN_DIGITS && isWhole(json, at, end)) {
        quoted += `${json.slice(copied, at)}"${json.slice(at, end)}"`
        copied = end
      }
      at = end - 1
    }
  }
  return quoted + json.slice(copied)
}

const isDigit = (character: number) => character >= 0x30 && character <= 0x39

function endOfDigits(json: string, from: number): number {
  let end = from
  while (isDigit(json.charCodeAt(end))) end++
  return end
}

const isWhole = (json: string, from: number, end: number) =>
  !'-+.eE'.includes(json[from - 1] ?? ' ') && !'.eE'.includes(json[end] ?? ' ')
