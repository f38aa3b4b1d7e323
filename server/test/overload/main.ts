/**
 * `npm run test:overload`: three times as many calls as the service can handle, slow and silent clients, and ten
 * thousand idle connections. It only calls this machine.
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { readOptions } from '../harness/options.ts'
import { openMany, stillOpen, trickle, watchHealth } from './beside.ts'
import { Load, measureRate, sendAtRate, untilCalm } from './load.ts'
import { isApart, messagesOf, residentMb, startOverloaded } from './overloaded.ts'

const {
  seconds: overloadSeconds,
  idle: idleConnections,
  times,
} = readOptions({ seconds: 30, idle: 10_000, times: 3 })
const warmSeconds = 10
const measureSeconds = 8
/** As many as a proxy keeps. Opened first, because Node accepts one per turn of its event loop, and turns get long. */
const connections = 6_000
const halfOpenClients = 200
const slowClients = 200
/** The limits that are checked at the end. */
const bounds = {
  /** Below the ten seconds after which our own clients give up. */
  acceptedMs: 6_000,
  healthMs: 2_000,
  backSeconds: 5,
  growthMb: 512,
  calmMs: 500,
  reached: 0.95,
  measured: 1.2,
  handedOver: 0.5,
  drainSeconds: 20,
}

/** By then the calls that were accepted at the start of the overload have been answered. */
const settledMs = 12_000

const halfCall = 'POST /api/v1/otp/send HTTP/1.1\r\nhost: x\r\ncontent-length: 9999\r\n\r\n{'

/** A rate measured while other programs used the processor is too low: then it repeats with the rate it reached. */
async function overloadFrom(measured: number) {
  for (let rate = measured; ; ) {
    const { delivered: before } = await messagesOf(service)
    const load = await sendAtRate(service, rate * times, { seconds: overloadSeconds, connections })
    const handedOver = (await messagesOf(service)).delivered - before
    const [offered, done] = [load.begun, load.accepted.length].map((count) =>
      Math.round(count / overloadSeconds),
    ) as [number, number]
    console.log(
      `· ${offered} a second for ${overloadSeconds} s, ${(offered / rate).toFixed(2)} times ${rate}, beside ${halfOpenClients} clients that never finish and ${slowClients} that say a byte a second: ${done} a second accepted; ${load}; of what came after ${settledMs / 1000} s p99 ${load.p99Ms(settledMs)} ms`,
    )
    if (done <= rate * bounds.measured) return { load, rate, handedOver }
    console.log('· it can do more than was measured: again')
    rate = done
  }
}

/** Resolves to the seconds until no message is queued. */
async function untilHandedOver(): Promise<number> {
  const begun = performance.now()
  while ((await messagesOf(service)).queued > 0) await sleep(200)
  return (performance.now() - begun) / 1000
}

const service = await startOverloaded()
console.log(
  isApart
    ? '· the service and its PostgreSQL share one processor, the load has the others'
    : '· service, PostgreSQL and load share the processors',
)
// A warm-up: the service is much slower until its code is compiled and its queries are planned.
await measureRate(service, warmSeconds)
const measured = await measureRate(service, measureSeconds)
const settledMb = residentMb(service)
const stopHealth = watchHealth(service)
const halfOpen = await openMany(service, halfOpenClients, halfCall)
const slow = await openMany(service, slowClients, halfCall)
const stopTrickle = trickle(slow, 1_000)
const { load, rate, handedOver } = await overloadFrom(measured)
const backSeconds = await untilCalm(service, bounds.calmMs)
const drainSeconds = await untilHandedOver()
const health = await stopHealth()
const busyMb = residentMb(service)
console.log(
  `· health: slowest ${health.slowestMs} ms, ${health.failures} failures; memory ${settledMb} → ${busyMb} MB; ${handedOver} messages handed over meanwhile; the last of all ${drainSeconds.toFixed(1)} s after the load; back after ${backSeconds.toFixed(1)} s`,
)
stopTrickle()
for (const socket of [...halfOpen, ...slow]) socket.destroy()

const idle = await openMany(service, idleConnections, '')
const idleHealth = watchHealth(service)
const idleLoad = new Load(service)
await Promise.all(Array.from({ length: 200 }, () => idleLoad.call()))
const withIdle = await idleHealth()
const open = stillOpen(idle)
console.log(
  `· ${open} idle connections: ${idleLoad}; health slowest ${withIdle.slowestMs} ms; memory ${residentMb(service)} MB`,
)
for (const socket of idle) socket.destroy()
idleLoad.close()
service.child.send('stop')
await once(service.child, 'exit')

const otherStatuses = [...load.statuses.keys()].filter((status) => status !== 200 && status !== 503)
assert.deepEqual(otherStatuses, [])
assert.ok(load.begun >= rate * times * overloadSeconds * bounds.reached, 'the load is what it should be')
assert.equal(load.withoutRetryAfter, 0)
assert.equal(health.failures + withIdle.failures, 0)
assert.equal(load.gaveUp + load.notMade, 0, 'nobody waits until they give up')
assert.ok(load.p99Ms() < bounds.acceptedMs, 'what is accepted is answered in time')
assert.ok(load.p99Ms(settledMs) < bounds.acceptedMs, 'also when the crowd stays')
assert.ok(health.slowestMs < bounds.healthMs, 'health is answered')
assert.ok(busyMb - settledMb < bounds.growthMb, 'memory is bounded')
assert.ok(handedOver >= load.accepted.length * bounds.handedOver, 'workers go on')
assert.ok(drainSeconds < bounds.drainSeconds, 'and nothing is left behind')
assert.ok(backSeconds < bounds.backSeconds, 'soon as before')
assert.equal(open, idleConnections)
assert.deepEqual([...idleLoad.statuses], [[200, 200]])
console.log('overload: as it should be')
