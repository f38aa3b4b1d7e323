/**
 * Writes the table of carriers by number prefix, from the carrier data of google/libphonenumber (Apache-2.0):
 *
 * node --import tsx server/scripts/write-carriers.ts CHECKOUT/resources/carrier/en VERSION
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const [folder, version] = process.argv.slice(2)
if (!folder || !version) {
  console.error(
    'Usage: node --import tsx server/scripts/write-carriers.ts CHECKOUT/resources/carrier/en VERSION',
  )
  process.exit(1)
}
const out = new URL('../src/domain/guard/numbering/carrier-table.ts', import.meta.url)

/** The length of the longest prefix in the data; numbers are compared by this many digits. */
const width = 9

interface Issued {
  readonly carrier: string
  readonly start: number
  readonly end: number
}

function readIssued(file: string): Issued[] {
  return readFileSync(join(folder ?? '', file), 'utf8')
    .split('\n')
    .flatMap((line) => {
      const [, prefix, name] = /^(\d+)\|(.*\S)\s*$/.exec(line) ?? []
      if (!prefix || !name) return []
      if (prefix.length > width) throw new Error(`${file}: ${prefix} has more than ${width} digits`)
      const carrier = name
        .normalize('NFC')
        .replaceAll(/[|`$\\:]/g, ' ')
        .replaceAll(/\s+/g, ' ')
      return [
        { carrier, start: Number(prefix.padEnd(width, '0')), end: Number(prefix.padEnd(width, '9')) + 1 },
      ]
    })
    .sort((one, other) => one.start - other.start || other.end - one.end)
}

/** A longer prefix is cut out of a shorter one, and neighbouring ranges of one carrier are merged. */
function disjoint(issued: readonly Issued[]): Issued[] {
  const ranges: Issued[] = []
  const open: Issued[] = []
  let at = 0
  const upTo = (end: number) => {
    const carrier = open.at(-1)?.carrier
    if (carrier !== undefined && end > at) {
      const last = ranges.at(-1)
      if (last?.carrier === carrier && last.end === at) ranges[ranges.length - 1] = { ...last, end }
      else ranges.push({ carrier, start: at, end })
    }
    at = Math.max(at, end)
  }
  const closeBefore = (start: number) => {
    for (let last = open.at(-1); last && last.end <= start; last = open.at(-1)) {
      upTo(last.end)
      open.pop()
    }
  }
  for (const next of issued) {
    closeBefore(next.start)
    upTo(next.start)
    open.push(next)
  }
  closeBefore(Number.POSITIVE_INFINITY)
  return ranges
}

/** `4474` for all numbers that begin with it, `44740-44743` for several neighbours. */
function textOf({ start, end }: Issued): string {
  let [first, last] = [String(start), String(end - 1)]
  while (first.endsWith('0') && last.endsWith('9')) [first, last] = [first.slice(0, -1), last.slice(0, -1)]
  return first === last ? first : `${first}-${last}`
}

function linesOf(file: string): string[] {
  const byCarrier = new Map<string, string[]>()
  for (const range of disjoint(readIssued(file)))
    byCarrier.set(range.carrier, [...(byCarrier.get(range.carrier) ?? []), textOf(range)])
  return [...byCarrier]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([carrier, ranges]) => `${carrier}|${ranges.join(' ')}`)
}

const files = readdirSync(folder)
  .filter((file) => file.endsWith('.txt'))
  .sort((one, other) => Number.parseInt(one, 10) - Number.parseInt(other, 10))
const lines = files.flatMap(linesOf)
writeFileSync(
  out,
  `/**
 * Which carrier a prefix was issued to. Made by server/scripts/write-carriers.ts from the carrier data of libphonenumber
 * ${version} (https://github.com/google/libphonenumber, resources/carrier/en).
 *
 * Copyright (C) The Libphonenumber Authors, licensed under the Apache License, Version 2.0; changed: neighbouring prefixes
 * of a carrier are one range, and those that a longer prefix gives to another are left out.
 */
export const carrierTable = \`
${lines.join('\n')}
\`
`,
)
console.log(`${lines.length} carriers of ${files.length} calling codes`)
