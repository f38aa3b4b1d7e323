/**
 * Text lists as their publishers write them, a network per line: addresses, CIDRs and ranges, alone or as the first
 * column, with `#` and `;` comments (Tor, X4BNet, FireHOL, Apple), or JSON objects (Spamhaus DROP).
 */
import { setImmediate as turn } from 'node:timers/promises'
import { RangeBuilder, type Ranges } from './ranges.ts'
import { UnreadableError } from './unreadable.ts'
import { type Network, parseNetwork } from './words.ts'

export interface TextList {
  readonly ranges: Ranges
  /** Networks in force, before merging. */
  readonly networks: number
}

/** A long list is read in turns, and requests are answered between them. */
const linesPerTurn = 1_000
const bytesPerTurn = 1_048_576
/** A longer line names no network: it is counted as strange, and not read. */
const longestLine = 4_096
/** As many as fit into memory beside everything else; the longest published lists have half as many. */
const mostNetworks = 4_000_000
const byteOrderMark = Buffer.from('\ufeff')
const newline = 0x0a
/** No wider network is ever assigned, so a wider one is a mistake. */
const widest = { narrow: 2 ** 24, wideWord: 0xffff }

/** Networks that contain no client address; some abuse lists contain all of them. */
const nonGlobal = rangesOf([
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/3',
  '::/3',
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  '2620:4f:8000::/48',
  '3fff::/20',
  '4000::/2',
  '8000::/1',
])

function rangesOf(texts: readonly string[]): Ranges {
  const builder = new RangeBuilder()
  for (const text of texts) {
    const network = parseNetwork(text)
    if (network) builder.add(network)
  }
  return builder.build()
}

export async function parseTextList(bytes: Buffer): Promise<TextList> {
  const builder = new RangeBuilder()
  let [networks, dropped, strange, lines, turnAt] = [0, 0, 0, 0, bytesPerTurn]
  for (
    let from = bytes.subarray(0, byteOrderMark.length).equals(byteOrderMark) ? byteOrderMark.length : 0;
    from < bytes.length;
  ) {
    const found = bytes.indexOf(newline, from)
    const to = found < 0 ? bytes.length : found
    const entry = to - from > longestLine ? '' : entryOf(bytes.toString('utf8', from, to))
    from = to + 1
    if (++lines % linesPerTurn === 0 || from >= turnAt) {
      turnAt = from + bytesPerTurn
      await turn()
    }
    if (entry === null) continue
    const network = parseNetwork(entry)
    if (!network) strange++
    else if (isTooWide(network) || nonGlobal.covers(network)) dropped++
    else {
      builder.add(network)
      if (++networks > mostNetworks) throw new UnreadableError(`has more than ${mostNetworks} networks`)
    }
  }
  // An error page, for example, has hardly any line that names a network.
  if (strange > networks + dropped) throw new UnreadableError('most of its lines name no network')
  return { ranges: await builder.buildInTurns(), networks }
}

const jsonNames = ['cidr', 'network', 'prefix', 'ip'] as const
/** The lines of Tor's list of exit addresses that are no addresses. */
const torLine = /^(?:ExitNode|Published|LastStatus)\s/

/** The network that a line names; null if the line need not name one. */
function entryOf(line: string): string | null {
  if (line.trimStart().startsWith('{')) return jsonEntryOf(line)
  const content = (line.split(/[#;]/, 1)[0] ?? '').trim()
  if (content === '' || torLine.test(content)) return null
  const [, range, first] = /^(?:ExitAddress\s+)?(?:([^\s,-]+\s*-\s*[^\s,]+)|"?([^\s,"]+))/.exec(content) ?? []
  return range ?? first ?? content
}

/** A JSON object without a network describes the list itself. */
function jsonEntryOf(line: string): string | null {
  try {
    const value = JSON.parse(line) as Readonly<Record<string, unknown>>
    const name = jsonNames.find((each) => typeof value[each] === 'string')
    return name ? String(value[name]) : null
  } catch {
    return line
  }
}

/** Whether the network is wider than an IPv4 /8 or an IPv6 /16. */
function isTooWide({ start, end }: Network): boolean {
  const [first = 0, last = 0] = [start[0], end[0]]
  return start.length === 1 ? last - first >= widest.narrow : last - first > widest.wideWord
}
