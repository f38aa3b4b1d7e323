/**
 * The addresses of an endpoint's or a carrier's name. The system's own way of asking (getaddrinfo) keeps a thread until it is
 * answered, and Node lends two of them to such questions: two names whose servers are silent would let no other name of
 * this process be found, neither of webhooks nor of carriers. So DNS is asked over sockets of our own, where any number
 * may wait, and the system one name at a time, about what DNS does not know.
 */
import type { LookupAddress } from 'node:dns'
import { lookup, Resolver } from 'node:dns/promises'
import { readFile } from 'node:fs/promises'
import { isIP } from 'node:net'
import { codeOf } from './error-code.ts'
import { createTurns } from './turns.ts'

/** All addresses of a name. */
export type Resolve = (hostname: string) => Promise<readonly LookupAddress[]>

export interface ResolveSources {
  /** The text of the file that goes before every server. */
  readonly readHosts: () => Promise<string>
  readonly askDns: Resolve
  /** Knows also what is not in DNS, and the domains that a short name is looked for in. */
  readonly askSystem: Resolve
}

const hostsFile = '/etc/hosts'
/** For the first answer of one server; c-ares waits longer for the second. */
const patienceMs = 2_000
const questions = 2
const maxWaiting = 1_000
/** No such name, no address under it, or no server that could be asked. */
const unknownToDns = /^(ENOTFOUND|ENODATA|ECONNREFUSED)$/

export function createResolve({
  readHosts = () => readFile(hostsFile, 'utf8').catch(() => ''),
  askDns = askServers,
  askSystem = (name) => lookup(name, { all: true }),
}: Partial<ResolveSources> = {}): Resolve {
  const takeTurn = createTurns({ maxAtOnce: 1, maxWaiting })
  const askInTurn = (name: string) => takeTurn('system', () => askSystem(name))
  return async (name) => {
    const written = findInHosts(await readHosts(), name)
    if (written.length > 0) return written
    // Only the system knows the domains that a name of one word is looked for in.
    if (!name.includes('.')) return askInTurn(name)
    try {
      return await askDns(name)
    } catch (error) {
      if (!unknownToDns.test(codeOf(error) ?? '')) throw error
      return askInTurn(name)
    }
  }
}

const wordsOf = (line: string) => line.replace(/#.*/, '').trim().split(/\s+/)

function findInHosts(hosts: string, name: string): LookupAddress[] {
  const wanted = name.toLowerCase()
  return hosts
    .split('\n')
    .map(wordsOf)
    .filter(([, ...names]) => names.some((each) => each.toLowerCase() === wanted))
    .flatMap(([address = '']) => addressOf(address))
}

function addressOf(address: string): LookupAddress[] {
  const family = isIP(address)
  return family === 0 ? [] : [{ address, family }]
}

/** With the servers that the system names now: a resolver reads them when it is made. */
export async function askServers(name: string, servers?: readonly string[]): Promise<LookupAddress[]> {
  const resolver = new Resolver({ timeout: patienceMs, tries: questions })
  if (servers) resolver.setServers(servers)
  const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
  const found = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
  if (found.length > 0) return found.flatMap(addressOf)
  const reasons = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason] : []))
  // One question without an answer says nothing of the name, whatever the other was told.
  throw reasons.find((reason) => !unknownToDns.test(codeOf(reason) ?? '')) ?? reasons[0]
}
