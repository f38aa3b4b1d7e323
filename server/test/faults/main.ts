/** `npm run test:faults -- [--seconds 60] [--seed N] [--story]`: breaks a whole installation, then checks it. */
import { readOptions } from '../harness/options.ts'
import { randomOf } from '../harness/random.ts'
import { Clients } from './clients.ts'
import { openInstallation } from './installation.ts'
import { judge } from './model.ts'
import { awaitReady, settle } from './settle.ts'
import { rage } from './storm.ts'

const {
  seconds,
  seed,
  clients: callers,
  story,
} = readOptions({
  seconds: 60,
  seed: Math.floor(Date.now() / 1_000) % 1_000_000,
  clients: 10,
  story: false,
})
// The parent process may be killed without notice.
process.on('disconnect', () => process.exit(1))
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1))
console.log(
  `seed ${seed}, ${seconds} s of faults; again: npm run test:faults -- --seconds ${seconds} --seed ${seed}`,
)

const startedAtMs = Date.now()
const random = randomOf(seed)
const installation = await openInstallation(randomOf(seed + 1))
const { apis, workers, cables, keys, simulator } = installation
const clients = new Clients({
  baseUrls: apis.map(({ port }) => `http://127.0.0.1:${port}`),
  keys,
  simulatorUrl: simulator.url,
  random: randomOf(seed + 2),
})
const calling = clients.run(callers)
const storm = await rage(installation, random, seconds)
for (const cable of Object.values(cables)) cable.become('whole')
for (const node of [...apis, ...workers]) {
  node.resume()
  if (node.state === 'down') await node.start()
}
clients.end()
await calling
const unready = await awaitReady(installation)
await clients.askAgain()
const stuck = await settle(installation, clients)
const { violations, counts } = await judge(installation, clients)
const ownEnds = [...apis, ...workers].flatMap((node) => node.ownEnds)
const all = [...unready, ...stuck, ...ownEnds, ...violations]

const list = (entries: Iterable<readonly [string, number]>) =>
  [...entries].map(([name, count]) => `  ${String(count).padStart(5)}  ${name}`).join('\n')
if (story || all.length > 0) console.log(storm.story.join('\n'))
console.log(
  `faults:\n${list(storm.counts)}\nanswers:\n${list(clients.answers.counts)}\nin the end:\n${list(Object.entries(counts))}`,
)
if (all.length > 0) {
  console.log(`VIOLATIONS (${all.length}):\n${all.slice(0, 40).join('\n')}`)
  for (const node of [...apis, ...workers])
    console.log(`— ${node.name} said last:\n${node.output.slice(-40).join('')}`)
}
console.log(
  `seed ${seed}: ${seconds} s of faults, ${Math.round((Date.now() - startedAtMs) / 1_000)} s in all, ` +
    `${all.length === 0 ? 'no violation' : `${all.length} VIOLATIONS`}`,
)
await installation.close()
process.exit(all.length === 0 ? 0 : 1)
