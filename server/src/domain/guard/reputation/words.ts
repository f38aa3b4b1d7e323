/** Addresses as 32-bit words, most significant first: one for IPv4, four for IPv6. */
import { isIPv6 } from 'node:net'

export type Words = readonly number[]

export interface Network {
  readonly start: Words
  readonly end: Words
}

const mappedPrefix = 0xffff

/** Null for what is no address; IPv4 inside IPv6 (::ffff:1.2.3.4) is IPv4. */
export function parseWords(text: string): Words | null {
  const words = text.includes(':') ? parseIPv6(text) : parseIPv4(text)
  return words && isMapped(words) ? words.slice(3) : words
}

const isMapped = (words: Words) =>
  words.length === 4 && words[0] === 0 && words[1] === 0 && words[2] === mappedPrefix

/** Strict, as `net.isIP` is: four decimal numbers without leading zeros. By hand, since lists have many. */
function parseIPv4(text: string): Words | null {
  let value = 0
  let octet = -1
  let dots = 0
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (code === 46) {
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

function parseIPv6(text: string): Words | null {
  if (!isIPv6(text) || text.includes('%')) return null
  const [head = '', tail] = text.split('::')
  const before = groupsOf(head)
  const after = tail === undefined ? [] : groupsOf(tail)
  const groups = [...before, ...Array<number>(8 - before.length - after.length).fill(0), ...after]
  const word = (index: number) => (groups[index] ?? 0) * 0x10000 + (groups[index + 1] ?? 0)
  return [word(0), word(2), word(4), word(6)]
}

function groupsOf(text: string): number[] {
  if (text === '') return []
  return text.split(':').flatMap((group) => {
    if (!group.includes('.')) return [Number.parseInt(group, 16)]
    const value = parseIPv4(group)?.[0] ?? 0
    return [value >>> 16, value & 0xffff]
  })
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
  // Of a mapped network, the first 96 bits are the mapping.
  const bits = Number(digits) - (words.length === 1 && address.includes(':') ? 96 : 0)
  return bits >= 0 && bits <= words.length * 32 ? networkOf(words, bits) : null
}

function parseRange(first: string, last: string): Network | null {
  const [start, end] = [parseWords(first), parseWords(last)]
  if (!start || !end || start.length !== end.length || compareWords(start, end) > 0) return null
  return { start, end }
}

/** Bits beyond the prefix may be set, as some publishers leave them. */
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

export function compareWords(left: Words, right: Words): number {
  for (let index = 0; index < left.length; index++) {
    const difference = (left[index] ?? 0) - (right[index] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}
