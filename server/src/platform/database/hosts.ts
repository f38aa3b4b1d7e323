/** The address of a database in libpq's syntax: one host, or several of which one takes writes. */
import { splitQuery } from './query.ts'
import { tellDriver } from './tls.ts'

export interface Host {
  readonly host: string
  readonly port: number
}

export interface DatabaseHosts {
  /** One URL for each host, in the syntax of the driver. */
  readonly urls: readonly string[]
  readonly hosts: readonly Host[]
  /** Whether every new connection is first asked whether it takes writes. */
  readonly mustTakeWrites: boolean
  /** Whether the address asks for a host that takes no writes. */
  readonly isForReading: boolean
}

const scheme = /^postgres(?:ql)?:\/\//
const defaultPort = 5_432
/** All values of libpq's `target_session_attrs`. */
const attributes = ['any', 'read-write', 'primary', 'prefer-standby', 'standby', 'read-only'] as const
const forWrites: readonly string[] = ['read-write', 'primary']
const forReading: readonly string[] = ['prefer-standby', 'standby', 'read-only']

/** `user:12`, which a password that begins with digits would be taken for. */
const isHostAndPort = /:\d*$/

/** Null for a URL that cannot be read. */
export function parseDatabaseUrl(raw: string): DatabaseHosts | null {
  const begin = scheme.exec(raw)?.[0]
  if (begin === undefined) return null
  const rest = raw.slice(begin.length)
  const authority = rest.slice(0, rest.search(/[/?#]|$/))
  const at = authority.lastIndexOf('@') + 1
  const [path = '', query = ''] = splitQuery(rest.slice(authority.length))
  // A password with an unescaped slash or question mark: its beginning would be taken for a port, and sent to a name
  // server together with the user; its end would be taken for a parameter, and quoted.
  if (at === 0 && (path.includes('@') || (isHostAndPort.test(authority) && query.includes('@')))) return null
  // A question mark for an ampersand, or a hash sign: what follows would be passed over, an sslmode too.
  if (query.includes('?') || rest.includes('#')) return null
  const parameters = new URLSearchParams(query)
  const wanted = parameters.get('target_session_attrs') ?? 'any'
  if (!attributes.some((name) => name === wanted)) return null
  parameters.delete('target_session_attrs')
  tellDriver(parameters)
  const said = parameters.size > 0 ? `?${parameters}` : ''
  const names = authority.slice(at).split(',')
  // Without a host and a database the driver would fall back to ones that nobody has named.
  if (names.includes('') && (names.length > 1 || path.length < 2) && !parameters.has('host')) return null
  const urls = names.map((name) => `${begin}${authority.slice(0, at)}${name}${path}${said}`)
  if (!urls.every((url) => URL.canParse(url))) return null
  const hosts = urls.map(hostOf)
  return {
    urls,
    hosts,
    mustTakeWrites: hosts.length > 1 || forWrites.includes(wanted),
    isForReading: forReading.includes(wanted),
  }
}

function hostOf(url: string): Host {
  const { hostname, port } = new URL(url)
  // The driver wants an IPv6 address without its brackets.
  return { host: hostname.replace(/^\[|\]$/g, '') || 'localhost', port: Number(port) || defaultPort }
}

export const nameOf = ({ host, port }: Host): string => `${host}:${port}`

export function hostsOf(url: string): DatabaseHosts {
  const hosts = parseDatabaseUrl(url)
  if (!hosts) throw new Error('The address of the database cannot be read.')
  return hosts
}
