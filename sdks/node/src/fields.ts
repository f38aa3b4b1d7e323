import { camel } from './case.ts'

/**
 * Refuses a field that nobody reads: with `client_ip` for `clientIp` a send would count as one without an address, and
 * with `baseURL` for `baseUrl` the key would go to whatever listens on this machine.
 */
export function assertFields(what: string, given: object, known: readonly string[]): void {
  if (typeof given !== 'object' || given === null)
    throw new TypeError(`${what} must be an object with ${known.join(', ')}.`)
  // Wrappers pass on options that are not set.
  const [unknown] =
    Object.entries(given).find(([name, value]) => value !== undefined && !known.includes(name)) ?? []
  if (unknown === undefined) return
  const meant = known.find((name) => name.toLowerCase() === camel(unknown).toLowerCase())
  const guess = meant === undefined ? `It has ${known.join(', ')}.` : `Did you mean ${meant}?`
  throw new TypeError(`${what} has no ${unknown}. ${guess}`)
}
