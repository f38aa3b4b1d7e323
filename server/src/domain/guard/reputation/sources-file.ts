/** The operator's file that names the lists, and what it says about each. */
import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import type { IpClass } from '@countersign/contract'
import { z } from 'zod'
import { ConfigError } from '../../../platform/config-error.ts'
import { ipClasses } from './ip-class.ts'

export interface Source {
  /** The name in logs and metrics: a file's name, or an address without the parts that may be secret. */
  readonly name: string
  readonly location: { readonly path: string } | { readonly url: string }
  /** Null if each record of the database has its own class. */
  readonly ipClass: IpClass | null
  /** Null if the format is to be detected from the content. */
  readonly isMmdb: boolean | null
  readonly maxAgeMs: number
}

const hour = 3_600_000
const day = 24 * hour
/** Tor exits change by the hour, abusive addresses by the week, networks of companies by the season. */
const maxAges: Readonly<Record<IpClass, number>> = {
  tor: 48 * hour,
  abusive: 7 * day,
  proxy: 60 * day,
  vpn: 60 * day,
  hosting: 60 * day,
  relay: 60 * day,
}

const address = z
  .string()
  .refine((text) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol), 'must be http or https')
const entry = z
  .strictObject({
    path: z.string().min(1).optional(),
    url: address.optional(),
    class: z.enum(ipClasses).optional(),
    format: z.enum(['text', 'jsonl', 'json', 'mmdb']).optional(),
    max_age_s: z.number().positive().optional(),
  })
  .refine(({ path, url }) => (path === undefined) !== (url === undefined), 'must have either path or url')
  .refine(
    (source) => source.class !== undefined || isNamedMmdb(source),
    `must have a class: ${ipClasses.join(', ')}`,
  )

function isNamedMmdb({
  path,
  url,
  format,
}: {
  path?: string | undefined
  url?: string | undefined
  format?: string | undefined
}) {
  if (format !== undefined) return format === 'mmdb'
  const name = path ?? (url !== undefined && URL.canParse(url) ? new URL(url).pathname : '')
  return name.toLowerCase().endsWith('.mmdb')
}

export async function readSources(file: string): Promise<Source[]> {
  const content = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new ConfigError(`IP_SOURCES: ${file} cannot be read (${error.code}).`)
  })
  const parsed = z.array(entry).safeParse(parseJson(file, content))
  if (!parsed.success) {
    const problems = parsed.error.issues.map(({ path, message }) => {
      const [index, ...rest] = path
      return `  ${index === undefined ? '' : `entry ${Number(index) + 1}: `}${rest.map((name) => `${String(name)}: `).join('')}${message}`
    })
    throw new ConfigError([`IP_SOURCES: ${file} is not a list of sources:`, ...problems].join('\n'))
  }
  const names = new Map<string, number>()
  return parsed.data.map(({ path, url, class: ipClass = null, format, max_age_s }) => {
    const location = path !== undefined ? { path } : { url: url ?? '' }
    const wanted = nameOf(location)
    const count = (names.get(wanted) ?? 0) + 1
    names.set(wanted, count)
    return {
      name: count === 1 ? wanted : `${wanted} (${count})`,
      location,
      ipClass,
      isMmdb: isNamedMmdb({ path, url, format }) || (format === undefined ? null : false),
      maxAgeMs: max_age_s === undefined ? maxAges[ipClass ?? 'proxy'] : max_age_s * 1_000,
    }
  })
}

function parseJson(file: string, content: string): unknown {
  try {
    // Some editors begin a file with a byte order mark, which is no JSON.
    return JSON.parse(content.replace(/^\ufeff/, ''))
  } catch {
    throw new ConfigError(`IP_SOURCES: ${file} is not JSON.`)
  }
}

function nameOf(location: Source['location']): string {
  if ('path' in location) return basename(location.path)
  const { host, pathname } = new URL(location.url)
  return `${host}${pathname}`
}
