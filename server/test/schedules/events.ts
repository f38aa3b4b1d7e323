/** Several nodes send events to one endpoint, which is paused, probed and enabled again meanwhile. */
import { enableEndpoint } from '../../src/domain/webhooks/endpoint-store.ts'
import { otpEvent } from '../../src/domain/webhooks/index.ts'
import { newId } from '../../src/platform/ids.ts'
import type { PostResult, SafePost } from '../../src/platform/safe-post.ts'
import { EventSender } from '../../src/worker/events.ts'
import { startPulse } from '../../src/worker/pulse.ts'
import { short } from './carrier.ts'
import type { Play } from './scenario.ts'
import type { Stage } from './stage.ts'
import type { Wires } from './wire.ts'
import type { Actor, World } from './world.ts'

const mostEvents = 5
const postDeadlineMs = 10_000
const aliveMs = 25_000

interface Called {
  readonly eventId: string
  readonly body: string
  readonly actor: Actor
  readonly beganMs: number
  /** When it reached the endpoint; null if it never did. */
  cameMs: number | null
  isTaken: boolean
  /** When the node learned the outcome; null if it has not. */
  endedMs: number | null
}

export async function playEvents(world: World, wires: Wires, stage: Stage): Promise<Play> {
  const bodies = await insertEvents(world, stage, 1 + world.tape.below(mostEvents))
  const called: Called[] = []
  const senders: Actor[] = []
  const beats = new Map<Actor, number[]>()
  wires.onRun = (actor, { name }) => {
    if (name === 'say-alive') beats.set(actor, [...(beats.get(actor) ?? []), world.nowMs])
  }
  /** Whether, at some time since then, it sent no heartbeat for so long that other nodes count it as dead. */
  const wasSilent = (actor: Actor, sinceMs: number) => {
    const heard = [...(beats.get(actor) ?? []), world.nowMs]
    return actor.isDead || heard.some((ms, index) => ms > sinceMs && ms - (heard[index - 1] ?? ms) >= aliveMs)
  }

  const postOf =
    (actor: Actor): SafePost =>
    (_url, body) =>
      new Promise<PostResult>((resolve) => {
        const eventId = (JSON.parse(body) as { id: string }).id
        const call: Called = {
          eventId,
          body,
          actor,
          beganMs: world.nowMs,
          cameMs: null,
          isTaken: false,
          endedMs: null,
        }
        watchCall(world, stage, called, call, wasSilent)
        called.push(call)
        world.tell(`${actor.name} sends ${short(eventId)}`)
        const end = (result: PostResult) => {
          call.endedMs ??= world.nowMs
          cancel()
          resolve(result)
        }
        const cancel = world.addTimer(
          { actor, what: 'has waited for the endpoint', run: () => end(ended(null)) },
          postDeadlineMs,
        )
        world.add({
          actor,
          what: 'an event reaches the endpoint',
          outlives: call,
          run: () => come(call, end),
        })
      })

  function come(call: Called, end: (result: PostResult) => void): void {
    call.cameMs = world.nowMs
    const status = [204, 500, 410, null][world.isStormy ? world.tape.choose([80, 8, 4, 8]) : 0] ?? null
    call.isTaken = status === 204
    world.tell(`the endpoint has ${short(call.eventId)} of ${call.actor.name}: ${status ?? 'no answer'}`)
    if (status !== null)
      world.add({ actor: call.actor, what: 'hears from the endpoint', run: () => end(ended(status)) })
  }

  async function start(name: string): Promise<void> {
    const actor = world.addActor(name)
    senders.push(actor)
    await world.as(actor, () => {
      const database = wires.open(actor)
      const log = (_: unknown, message: string) => world.tell(`${name}: "${message}"`)
      const warn = (message: string) => log('warn', message)
      new EventSender({
        database,
        pulse: startPulse({ database, warn }).pulse,
        keyring: () => stage.keyring,
        clock: { nowMs: () => world.nowMs },
        post: postOf(actor),
        random: () => 0,
        countAttempt: () => {},
        metrics: { setPausedEndpoints: () => {}, countEventsTakenOver: () => {} },
        log,
        warn,
      })
    })
  }
  await start('A')
  await start('B')
  const person = world.addActor('person')
  const enable = () =>
    world.as(person, () => {
      world.tell('a person enables the endpoint')
      void enableEndpoint(wires.open(person).of(stage.companyId), stage.appId, stage.endpointId).catch(
        () => {},
      )
    })
  return {
    nodes: () => senders,
    replace: () => start(`N${world.actors.length}`),
    act: enable,
    settle: enable,
    isOver: async () => {
      const [row] = await stage.post.look<{ left: number; status: string }>(
        `select (select count(*)::integer from events where status in ('waiting', 'sending')) as left,
                (select status from webhook_endpoints where endpoint_id = $1) as status`,
        [stage.endpointId],
      )
      if (row?.status === 'paused') await enable()
      return row?.left === 0
    },
    check: () => check(world, stage, called, bodies),
  }
}

const ended = (status: number | null): PostResult => ({
  status,
  retryAfter: undefined,
  answer: null,
  error: status === null ? 'no answer within 10 s' : null,
  isCutOff: false,
})

/** A node must hold the event that it sends, no other live node may be sending it, and a probed endpoint gets one. */
function watchCall(
  world: World,
  stage: Stage,
  called: readonly Called[],
  call: Called,
  wasSilent: (actor: Actor, sinceMs: number) => boolean,
): void {
  const id = short(call.eventId)
  const others = called.filter((each) => each.eventId === call.eventId)
  for (const other of others) {
    if (wasSilent(other.actor, other.beganMs)) continue
    if (other.endedMs === null)
      world.violate(`${id} is sent by ${call.actor.name} while ${other.actor.name} is at it`)
    else if (other.isTaken)
      world.violate(`${id} was taken from ${other.actor.name}, which lives, and is sent again`)
  }
  world.look(async () => {
    const [row] = await stage.post.look<{ event: string; endpoint: string; probing: number }>(
      `select e.status as event, w.status as endpoint,
              (select count(*)::integer from events s where s.endpoint_id = w.endpoint_id and s.status = 'sending') as probing
         from events e join webhook_endpoints w using (endpoint_id) where e.event_id = $1`,
      [call.eventId],
    )
    if (row?.event !== 'sending')
      world.violate(`${id} is sent by ${call.actor.name}, which does not hold it (${row?.event})`)
    if (row?.endpoint === 'probing' && row.probing > 1)
      world.violate(`${row.probing} events are under way to an endpoint that is probed`)
  })
}

async function insertEvents(world: World, stage: Stage, count: number): Promise<Map<string, string>> {
  const made = Array.from({ length: count }, (_, index) => {
    const atMs = world.nowMs - count + index
    const otpId = newId('verification', atMs)
    return { otpId, at: new Date(atMs), ...otpEvent('approved', otpId, atMs) }
  })
  for (const { otpId, at, eventId, body } of made)
    await stage.post.look(
      `insert into events (company_id, app_id, endpoint_id, type, event_id, otp_id, body, created_at, next_attempt_at)
       values ($1, $2, $3, 'otp.approved', $4, $5, $6, $7, $7)`,
      [stage.companyId, stage.appId, stage.endpointId, eventId, otpId, body, at],
    )
  return new Map(made.map(({ eventId, body }) => [eventId, body]))
}

async function check(
  world: World,
  stage: Stage,
  called: readonly Called[],
  bodies: ReadonlyMap<string, string>,
): Promise<void> {
  const rows = await stage.post.look<{ event_id: string; status: string }>(
    'select event_id, status from events',
  )
  if (rows.length !== bodies.size) world.violate(`${rows.length} of ${bodies.size} events are there`)
  for (const { event_id, status } of rows) {
    const calls = called.filter(({ eventId }) => eventId === event_id)
    if (calls.some(({ body }) => body !== bodies.get(event_id)))
      world.violate('the bytes of an event have changed')
    if (status !== 'delivered') world.violate(`${short(event_id)} is ${status} in the end`)
    else if (!calls.some(({ isTaken }) => isTaken))
      world.violate(`${short(event_id)} is said to be delivered, and nobody took it`)
  }
}
