/** Databases in MaxMind's format: what each record says of its network, in the fields of MaxMind and IPinfo. */

import type { IpClass } from '@countersign/contract'
import { Reader, type Response } from 'maxmind'
import { UnreadableError } from './unreadable.ts'

export interface Mmdb {
  readonly classOf: (address: string) => IpClass | null
  /** ISO 3166-1 alpha-2; null if the record has none. */
  readonly countryOf: (address: string) => string | null
  /** When the publisher built the database. */
  readonly builtMs: number
}

type Fields = Readonly<Record<string, unknown>>

/** The worst class comes first. */
const flags: readonly (readonly [IpClass, readonly string[]])[] = [
  ['tor', ['is_tor_exit_node', 'is_tor', 'tor']],
  ['proxy', ['is_public_proxy', 'is_residential_proxy', 'is_proxy', 'proxy']],
  ['vpn', ['is_anonymous_vpn', 'is_vpn', 'vpn']],
  ['hosting', ['is_hosting_provider', 'is_hosting', 'hosting']],
  ['relay', ['is_relay', 'relay']],
]
/** A flag that says only that an address is one of the above. */
const unspecific = 'is_anonymous'
const known: ReadonlySet<string> = new Set([unspecific, ...flags.flatMap(([, names]) => names)])

const marker = Buffer.from('\xab\xcd\xefMaxMind.com', 'latin1')
const cachedRecords = 10_000

/** The format's own bound on the distance of the marker from the end, so that a long list is not searched whole. */
const markerWithin = 128 * 1024

export const isMmdb = (bytes: Buffer) => bytes.subarray(-markerWithin).lastIndexOf(marker) >= 0

/** `fallback` is the class of records that have none of these flags, for a database that is a plain list. */
export function openMmdb(bytes: Buffer, fallback: IpClass | null): Mmdb {
  const reader = readerOf(bytes)
  const { ipVersion, buildEpoch } = reader.metadata
  const recordOf = (address: string): Fields | null => {
    // A tree of IPv4 addresses would be searched with the first bits of an IPv6 address.
    if (ipVersion === 4 && address.includes(':')) return null
    const record: unknown = reader.get(address)
    return isFields(record) ? record : null
  }
  const classOf = (address: string) => {
    const record = recordOf(address)
    return record && classOfRecord(record, fallback)
  }
  if (fallback !== null) orDamaged(() => assertList(classOf, fallback))
  return {
    classOf,
    countryOf: (address) => countryOfRecord(recordOf(address)),
    builtMs: buildEpoch.getTime(),
  }
}

/** One address of every IPv4 /8 that people may have: no list has half of them, but a database of places has all. */
const samples = Array.from({ length: 223 }, (_, index) => index + 1)
  .filter((first) => first !== 10 && first !== 127)
  .map((first) => `${first}.77.77.77`)

/** If a class is set for a database of countries, cities or networks, it would flag everybody. */
function assertList(classOf: Mmdb['classOf'], fallback: IpClass): void {
  const flagged = samples.filter((address) => classOf(address) === fallback)
  if (flagged.length > samples.length / 2)
    throw new UnreadableError(`would make nearly every address ${fallback}: leave its class out`)
}

/** MaxMind writes `country.iso_code`, IPinfo `country` or `country_code`. */
function countryOfRecord(record: Fields | null): string | null {
  const country = isFields(record?.country)
    ? record.country.iso_code
    : (record?.country_code ?? record?.country)
  return typeof country === 'string' && /^[A-Z]{2}$/.test(country) ? country : null
}

function readerOf(bytes: Buffer): Reader<Response> {
  if (!isMmdb(bytes)) throw new UnreadableError('is not in the format mmdb')
  return orDamaged(() => {
    const reader = new Reader<Response>(bytes, { cache: boundedCache() })
    if (reader.metadata.searchTreeSize >= bytes.length) throw new UnreadableError('is cut short')
    reader.get('1.1.1.1')
    return reader
  })
}

/** The library's errors say at which byte it stumbled, which tells an operator nothing. */
function orDamaged<Result>(read: () => Result): Result {
  try {
    return read()
  } catch (error) {
    if (error instanceof UnreadableError) throw error
    throw new UnreadableError('is damaged')
  }
}

function boundedCache() {
  const records = new Map<string | number, unknown>()
  return {
    get: (key: string | number) => records.get(key),
    set: (key: string | number, value: unknown) => {
      if (records.size >= cachedRecords) records.clear()
      records.set(key, value)
    },
  }
}

const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null
const isTrue = (value: unknown) => value === true || value === 1 || value === 'true' || value === '1'

function classOfRecord(record: Fields, fallback: IpClass | null): IpClass | null {
  // MaxMind's larger databases have the flags under `traits`, IPinfo's under `privacy`.
  const fields = [record.traits, record.privacy].find(isFields) ?? record
  const found = flags.find(([, names]) => names.some((name) => isTrue(fields[name])))
  if (found) return found[0]
  if (isTrue(fields[unspecific])) return fallback ?? 'proxy'
  return Object.keys(fields).some((name) => known.has(name)) ? null : fallback
}
