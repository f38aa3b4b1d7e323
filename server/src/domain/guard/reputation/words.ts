/** Addresses as 32-bit words, most significant first: one for IPv4, four for IPv6. */

export type Words = readonly number[]

export interface Network {
  readonly start: Words
  readonly end: Words
}

const mappedPrefix = 0xffff
const dot = 46
const colon = 58

/** Null for a text that is no address; IPv4 inside IPv6 (::ffff:1.2.3.4) is IPv4. */
export function parseWords(text: string): Words | null {
  const words = text.includes(':') ? parseIPv6(text) : parseIPv4(text)
  return words && isMapped(words) ? words.slice(3) : words
}

const isMapped = (words: Words) =>
  words.length === 4 && words[0] === 0 && words[1] === 0 && words[2] === mappedPrefix

/** Strict, as `net.isIP` is: four decimal numbers without leading zeros. By hand for speed, since lists are long. */
function parseIPv4(text: string): Words | null {
  let value = 0
  let octet = -1
  let dots = 0
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (code === dot) {
      if (octet < 0) return null
      value = value * 256 + octet
      octet = -1
      dots++
    } else {
      if (code < 48 || code > 57 || octet === 0) return null
      octet = (octet < 0 ? 0 : octet * 10) + code - 48
      if (octet > 255) return null
    }
  }
  return dots === 3 && octet >= 0 ? [value * 256 + octet] : null
}

/** As strict as `parseIPv4`, and by hand for the same reason. */
function parseIPv6(text: string): Words | null {
  const groups: number[] = []
  let gap = -1
  let group = -1
  let groupStart = 0
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (code === colon) {
      const isNextColon = text.charCodeAt(index + 1) === colon
      if (group >= 0) groups.push(group)
      else if (index > 0 || !isNextColon) return null
      if (isNextColon) {
        if (gap >= 0) return null
        gap = groups.length
        index++
      } else if (index === text.length - 1) return null
      group = -1
      groupStart = index + 1
    } else if (code === dot) {
      const tail = parseIPv4(text.slice(groupStart))?.[0]
      if (tail === undefined) return null
      groups.push(tail >>> 16)
      group = tail & 0xffff
      break
    } else {
      const digit = hexDigit(code)
      if (digit < 0 || index - groupStart > 3) return null
      group = (group < 0 ? 0 : group) * 16 + digit
    }
  }
  if (group >= 0) groups.push(group)
  return wordsOf(groups, gap)
}

function hexDigit(code: number): number {
  if (code >= 48 && code <= 57) return code - 48
  const lower = code | 32
  return lower >= 97 && lower <= 102 ? lower - 87 : -1
}

/** `gap` is the index of `::`, or -1. */
function wordsOf(groups: readonly number[], gap: number): Words | null {
  const missing = 8 - groups.length
  if (gap < 0 ? missing !== 0 : missing < 1) return null
  const at = (index: number) => {
    if (gap < 0 || index < gap) return groups[index] ?? 0
    return index < gap + missing ? 0 : (groups[index - missing] ?? 0)
  }
  const word = (index: number) => at(index) * 0x10000 + at(index + 1)
  return [word(0), word(2), word(4), word(6)]
}

/** An address, a CIDR or `first-last`; null for anything else. */
export function parseNetwork(text: string): Network | null {
  const dash = text.indexOf('-')
  if (dash >= 0) return parseRange(text.slice(0, dash).trim(), text.slice(dash + 1).trim())
  const slash = text.indexOf('/')
  if (slash < 0) {
    const words = parseWords(text)
    return words && { start: words, end: words }
  }
  const digits = text.slice(slash + 1)
  const address = text.slice(0, slash)
  const words = parseWords(address)
  if (!words || !/^\d{1,3}$/.test(digits)) return null
  // The first 96 bits of a mapped network are the mapping.
  const bits = Number(digits) - (words.length === 1 && address.includes(':') ? 96 : 0)
  return bits >= 0 && bits <= words.length * 32 ? networkOf(words, bits) : null
}

function parseRange(first: string, last: string): Network | null {
  const [start, end] = [parseWords(first), parseWords(last)]
  if (!start || !end || start.length !== end.length || compareWords(start, end) > 0) return null
  return { start, end }
}

/** Bits beyond the prefix may be set, as in some published lists. */
function networkOf(words: Words, bits: number): Network {
  const masks = words.map((_, index) => {
    const kept = Math.min(32, Math.max(0, bits - index * 32))
    return kept === 0 ? 0 : (0xffff_ffff << (32 - kept)) >>> 0
  })
  return {
    start: words.map((word, index) => (word & (masks[index] ?? 0)) >>> 0),
    end: words.map((word, index) => (word | ~(masks[index] ?? 0)) >>> 0),
  }
}

function compareWords(left: Words, right: Words): number {
  for (let index = 0; index < left.length; index++) {
    const difference = (left[index] ?? 0) - (right[index] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}
