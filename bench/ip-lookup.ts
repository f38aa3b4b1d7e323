/**
 * What it costs to ask the lists about an address, beside `net.BlockList` with the same networks in the same
 * run. Every second address asked is listed; addresses are given as text, as a send has them.
 *
 *   npm run bench:ip [networks, 50000 if not said]
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { BlockList } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadReputation } from '../server/src/domain/guard/index.ts'
import { drawFrom } from '../server/test/harness/random.ts'

const count = Number(process.argv[2] ?? 50_000)
const asked = 1_000
const bestOf = 5

/** The same addresses in every run. */
const random = drawFrom(7)
/** Public addresses only, because lists drop all others. */
const octets = () => `${11 + random(80)}.${random(256)}.${random(256)}`
const groups = () =>
  `2a${(16 + random(200)).toString(16)}:${random(65_536).toString(16)}:${random(65_536).toString(16)}`

interface Family {
  readonly name: string
  readonly family: 'ipv4' | 'ipv6'
  readonly network: () => readonly [address: string, bits: number]
  readonly stranger: () => string
}

const families: readonly Family[] = [
  {
    name: 'IPv4',
    family: 'ipv4',
    network: () => [`${octets()}.0`, 22 + random(11)],
    stranger: () => `101.${random(256)}.${random(256)}.${random(256)}`,
  },
  {
    name: 'IPv6',
    family: 'ipv6',
    network: () => [`${groups()}::`, 36 + random(29)],
    stranger: () => `2606:${random(65_536).toString(16)}::1`,
  },
]

function microseconds(
  ask: (address: string) => unknown,
  addresses: readonly string[],
  rounds: number,
): number {
  const runs = Array.from({ length: bestOf }, () => {
    const startMs = performance.now()
    for (let round = 0; round < rounds; round++) for (const address of addresses) ask(address)
    return ((performance.now() - startMs) * 1_000) / (rounds * addresses.length)
  })
  return Math.min(...runs)
}

async function loadLists(networks: readonly (readonly [string, number])[], lists: number) {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-bench-'))
  const classes = ['abusive', 'tor', 'proxy', 'vpn', 'hosting', 'relay']
  const sources = Array.from({ length: lists }, (_, index) => ({
    path: join(folder, `${index}.txt`),
    class: classes[index % classes.length],
  }))
  for (const [index, { path }] of sources.entries()) {
    const own = networks.filter((_, place) => place % lists === index)
    await writeFile(path, own.map(([address, bits]) => `${address}/${bits}\n`).join(''))
  }
  await writeFile(join(folder, 'sources.json'), JSON.stringify(sources))
  const startMs = performance.now()
  const reputation = await loadReputation(join(folder, 'sources.json'))
  const loadMs = performance.now() - startMs
  await rm(folder, { recursive: true })
  return { reputation, loadMs }
}

console.log(`${count} networks, µs per lookup (best of ${bestOf})\n`)
for (const { name, family, network, stranger } of families) {
  const networks = Array.from({ length: count }, network)
  const addresses = Array.from({ length: asked }, (_, index) =>
    index % 2 === 0 ? stranger() : (networks[random(count)]?.[0] ?? ''),
  )
  const slow = new BlockList()
  for (const [address, bits] of networks) slow.addSubnet(address, bits, family)
  const blockList = microseconds((address) => slow.check(address, family), addresses.slice(0, 100), 1)
  for (const lists of [1, 6]) {
    const { reputation, loadMs } = await loadLists(networks, lists)
    const wrong = addresses.filter(
      (address) => (reputation.classify(address).ipClass !== null) !== slow.check(address, family),
    )
    if (wrong.length > 0) throw new Error(`the two do not agree on ${wrong[0]}`)
    const ours = microseconds(reputation.classify, addresses, 200)
    console.log(
      `${name}, ${lists === 1 ? '1 list ' : `${lists} lists`}   ours ${ours.toFixed(2)}   net.BlockList ${blockList.toFixed(1)}   ${Math.round(blockList / ours)} times   read in ${Math.round(loadMs)} ms`,
    )
  }
}
