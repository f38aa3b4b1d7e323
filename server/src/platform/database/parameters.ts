/** The parameters that the address of a database may have. */
import { nearest } from '../nearest.ts'
import { bindingProblemOf } from './client.ts'
import { parametersOf } from './query.ts'
import { tlsParameters, tlsProblemOf } from './tls.ts'

/** Those of libpq that have an effect here. */
const known: readonly string[] = [
  ...tlsParameters,
  'channel_binding',
  'target_session_attrs',
  'application_name',
  'options',
  'host',
  'port',
  'user',
  'password',
]

/** Of libpq and of other clients, in addresses that providers show: what the service has in place of them. */
const others: readonly (readonly [name: RegExp, instead: string])[] = [
  [/^(pgbouncer|statement_cache_size)$/, 'what a pooler supports is found out at the start'],
  [/^connection_limit$/, 'DATABASE_CONNECTIONS says how many connections there are'],
  [
    /^(connect_timeout|pool_timeout|socket_timeout|tcp_user_timeout|keepalives(_\w+)?)$/,
    'connections have time limits of their own here',
  ],
]

/** What is wrong with the parameters of an address, as text that follows the variable's name; null if nothing. */
export function parameterProblemOf(url: string): string | null {
  const names = [...parametersOf(url).keys()]
  // The driver ignores what it does not know: with a typo such as slsmode every connection would be unencrypted, and
  // nobody would notice.
  const unknown = names.filter((name) => !known.includes(name))
  if (unknown.length > 0) {
    const said = unknown.map((name) => `the parameter "${name}" is not read. ${adviceFor(name)}`)
    return `: ${said.join(' Also, ')} These are: ${known.join(', ')}.`
  }
  // The driver uses the last one, and whoever wrote the first would believe in that.
  const twice = names.find((name, index) => names.indexOf(name) < index)
  return twice === undefined
    ? (tlsProblemOf(url) ?? bindingProblemOf(url))
    : `: the parameter "${twice}" is given twice.`
}

function adviceFor(name: string): string {
  const [, instead] = others.find(([pattern]) => pattern.test(name)) ?? []
  if (instead !== undefined) return `Leave it out: ${instead}.`
  const meant = nearest(name, known) ?? (/^(ssl|tls)/i.test(name) ? 'sslmode' : null)
  return meant === null ? 'Leave it out.' : `Did you mean ${meant}?`
}
