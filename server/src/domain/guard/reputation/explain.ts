/** How the service treats a client_ip, in words, for an operator who asks why somebody was refused. */
import { sayListing } from '@countersign/contract'
import { parseClientIp } from '../client-ip.ts'
import { listingOf, type Reputation } from './reputation.ts'

/** What is described, and how. A row without a name continues the row before it. */
type Row = readonly [name: string, says: string]

export function explainIp(text: string, reputation: Reputation): readonly Row[] {
  const parsed = parseClientIp(text)
  if (parsed.kind === 'malformed') {
    return [
      ['syntax', 'not an IPv4 or IPv6 address'],
      ['a send', 'is refused: 422 ValidationError; from a device it counts as absent'],
    ]
  }
  if (parsed.kind === 'absent') {
    return [
      ['syntax', 'an address'],
      ['usable', `no: ${parsed.why}`],
      ['a send', 'counts as one without client_ip: no list is asked, limits.app_without_ip applies'],
    ]
  }
  const { address, limitKey } = parsed.ip
  return [
    ['syntax', 'an address'],
    ['usable', 'yes'],
    ...(address === text ? [] : [['read as', address] as const]),
    ['counted as', limitKey],
    ...listingRows(address, reputation),
    ...countryRows(address, reputation),
    ['a send', consequenceOf(address, reputation)],
  ]
}

function listingRows(address: string, reputation: Reputation): readonly Row[] {
  const listings = reputation.listings(address)
  if (listings.length === 0) return [['lists', 'none: IP_SOURCES is not set, or names none']]
  return listings.map(({ name, says, ipClass, ageSeconds, maxAgeSeconds, problem }, index) => {
    const age =
      ageSeconds === null ? 'not read' : `${inWords(ageSeconds)} old, at most ${inWords(maxAgeSeconds)}`
    const found = says === null ? `not listed (class ${ipClass ?? 'by record'})` : `listed as ${says}`
    return [index === 0 ? 'lists' : '', `${name}: ${found}; ${age}${problem ? `; PROBLEM: ${problem}` : ''}`]
  })
}

function countryRows(address: string, reputation: Reputation): readonly Row[] {
  const country = reputation.countryOf(address)
  return country === null ? [] : [['country', country]]
}

function consequenceOf(address: string, reputation: Reputation): string {
  const standing = reputation.classify(address)
  const { treatment } = standing
  const why = sayListing(listingOf(standing))
  if (treatment === 'refuse') return `is refused: 403 IpReputationBlockedError. ${why}`
  if (treatment === 'flag') return `is held to limits.flagged_ip and limits.ip. ${why}`
  return `is held to limits.ip, as any other. ${why}`
}

const units = [
  ['d', 86_400],
  ['h', 3_600],
  ['min', 60],
  ['s', 1],
] as const

/** Uses the largest unit of which there are at least two. */
function inWords(seconds: number): string {
  const [unit, size] = units.find(([, each]) => seconds >= 2 * each) ?? ['s', 1]
  return `${Math.floor(seconds / size)} ${unit}`
}
