/** What the operator's lists say of an address. */
import { readFile } from 'node:fs/promises'
import ipaddr from 'ipaddr.js'
import { z } from 'zod'

/** From worst to best: an address on several lists has the worst of their classes. */
const ipClasses = ['abusive', 'tor', 'proxy', 'vpn', 'hosting', 'relay'] as const
export type IpClass = (typeof ipClasses)[number]

export interface Reputation {
  readonly classify: (address: string) => IpClass | null
}

const sources = z.array(z.strictObject({ path: z.string().min(1), class: z.enum(ipClasses) }))

/** Sorted, non-overlapping ranges; a lookup is a binary search. */
interface RangeSet {
  readonly starts: readonly bigint[]
  readonly ends: readonly bigint[]
}

const noReputation: Reputation = { classify: () => null }

export async function loadReputation(sourcesFile: string | null): Promise<Reputation> {
  if (!sourcesFile) return noReputation
  const list = await readSources(sourcesFile)
  const sets: [IpClass, RangeSet][] = []
  for (const ipClass of ipClasses) {
    const texts = await Promise.all(
      list.filter((source) => source.class === ipClass).map((source) => readFile(source.path, 'utf8')),
    )
    sets.push([ipClass, rangesOf(texts.join('\n'))])
  }
  return {
    classify: (address) => {
      const value = numberOf(ipaddr.parse(address))
      return sets.find(([, set]) => contains(set, value))?.[0] ?? null
    },
  }
}

async function readSources(file: string): Promise<z.infer<typeof sources>> {
  try {
    return sources.parse(JSON.parse(await readFile(file, 'utf8')))
  } catch {
    throw new Error(`IP_SOURCES: ${file} cannot be read as a list of {"path", "class"}.`)
  }
}

/** IPv4 goes into the v4-mapped part of IPv6, so that one order holds both. */
function numberOf(address: ipaddr.IPv4 | ipaddr.IPv6): bigint {
  const wide = address instanceof ipaddr.IPv4 ? address.toIPv4MappedAddress() : address
  return wide.toByteArray().reduce((value, byte) => (value << 8n) | BigInt(byte), 0n)
}

function rangesOf(text: string): RangeSet {
  const ranges: [bigint, bigint][] = []
  for (const line of text.split('\n')) {
    const entry = line.split(/[#;]/)[0]?.trim()
    if (!entry || !(ipaddr.isValid(entry) || ipaddr.isValidCIDR(entry))) continue
    const [address, bits] = ipaddr.isValidCIDR(entry)
      ? ipaddr.parseCIDR(entry)
      : ([ipaddr.parse(entry), ipaddr.parse(entry) instanceof ipaddr.IPv4 ? 32 : 128] as const)
    const width = BigInt(address instanceof ipaddr.IPv4 ? 32 - bits : 128 - bits)
    const start = (numberOf(address) >> width) << width
    ranges.push([start, start + (1n << width) - 1n])
  }
  return merge(ranges)
}

function merge(ranges: [bigint, bigint][]): RangeSet {
  ranges.sort(([left], [right]) => (left < right ? -1 : left > right ? 1 : 0))
  const starts: bigint[] = []
  const ends: bigint[] = []
  for (const [start, end] of ranges) {
    const lastEnd = ends.at(-1)
    if (lastEnd !== undefined && start <= lastEnd + 1n) ends[ends.length - 1] = end > lastEnd ? end : lastEnd
    else {
      starts.push(start)
      ends.push(end)
    }
  }
  return { starts, ends }
}

function contains({ starts, ends }: RangeSet, value: bigint): boolean {
  let low = 0
  let high = starts.length - 1
  while (low <= high) {
    const middle = (low + high) >> 1
    if (value < (starts[middle] ?? 0n)) high = middle - 1
    else if (value > (ends[middle] ?? 0n)) low = middle + 1
    else return true
  }
  return false
}
