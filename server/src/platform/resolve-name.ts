/**
 * Resolves the names of endpoints and carriers. The system's own way (getaddrinfo) blocks a thread until it is
 * answered, and Node has two threads for it: two names whose servers are silent would stop every lookup of this
 * process. So DNS is asked over sockets, where any number of queries may wait. The system is asked about one name at a
 * time, and only about names that DNS does not know.
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
  /** The text of the hosts file, which takes precedence over every server. */
  readonly readHosts: () => Promise<string>
  /** The text of resolv.conf, with the search domains. */
  readonly readSettings: () => Promise<string>
  readonly askDns: Resolve
  /** Also knows names that are not in DNS. */
  readonly askSystem: Resolve
}

const hostsFile = '/etc/hosts'
const settingsFile = '/etc/resolv.conf'
const usualDots = 1
/** The timeout of the first try with one server; c-ares waits longer in the second. */
const patienceMs = 2_000
const questions = 2
const maxWaiting = 1_000
/** No such name, no address for it, or no server that could be asked. */
const unknownToDns = /^(ENOTFOUND|ENODATA|ECONNREFUSED)$/

const readText = (file: string) => readFile(file, 'utf8').catch(() => '')

export function createResolve({
  readHosts = () => readText(hostsFile),
  readSettings = () => readText(settingsFile),
  askDns = askServers,
  askSystem = (name) => lookup(name, { all: true }),
}: Partial<ResolveSources> = {}): Resolve {
  const takeTurn = createTurns({ maxAtOnce: 1, maxWaiting })
  const askInTurn = (name: string) => takeTurn('system', () => askSystem(name))
  const find: Resolve = async (name) => {
    const written = findInHosts(await readHosts(), name)
    if (written.length > 0) return written
    for (const each of inDomains(await readSettings(), name)) {
      try {
        return await askDns(each)
      } catch (error) {
        const code = codeOf(error) ?? ''
        // Servers may refuse names of one word, or in domains of the local network. For those, only a timeout ends the
        // search.
        const isOfWorld = each === name && name.includes('.')
        if (isOfWorld ? !unknownToDns.test(code) : code === 'ETIMEOUT') throw error
      }
    }
    return askInTurn(name)
  }
  // Hundreds of connections to one carrier at once share a query: DNS servers would drop some of that many packets.
  const asked = new Map<string, ReturnType<Resolve>>()
  return (name) => {
    const found = asked.get(name) ?? find(name).finally(() => asked.delete(name))
    asked.set(name, found)
    return found
  }
}

/**
 * The names to try for a name, in the system's order: if it has few dots, first those in the search domains. In a
 * cluster `mail.dev` is a service, and the owner of that name on the internet must not get what is meant for it.
 */
function inDomains(settings: string, name: string): string[] {
  const lines = settings.split('\n').map(wordsOf)
  const [, ...domains] = lines.findLast(([word]) => word === 'search' || word === 'domain') ?? []
  const isQualified = name.endsWith('.') || name.split('.').length > neededDots(lines)
  const longer = domains.filter((domain) => domain !== '.').map((domain) => `${name}.${domain}`)
  return isQualified ? [name] : [...longer, name]
}

function neededDots(lines: readonly (readonly string[])[]): number {
  const options = lines.flatMap(([word, ...options]) => (word === 'options' ? options : []))
  return Number(options.findLast((option) => /^ndots:\d+$/.test(option))?.slice('ndots:'.length) ?? usualDots)
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

/** Uses the servers that the system names now, since a resolver reads them when it is created. */
export async function askServers(name: string, servers?: readonly string[]): Promise<LookupAddress[]> {
  const resolver = new Resolver({ timeout: patienceMs, tries: questions })
  if (servers) resolver.setServers(servers)
  const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
  const found = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
  if (found.length > 0) return found.flatMap(addressOf)
  const reasons = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason] : []))
  // If one of the two queries got no answer, the name may still exist, whatever the other query was told.
  throw reasons.find((reason) => !unknownToDns.test(codeOf(reason) ?? '')) ?? reasons[0]
}
