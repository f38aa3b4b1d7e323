/** A message from its acceptance to its outcome: batches, claims, leases, the hand-over, and the recorded result. */
import { AppError } from '@countersign/contract'
import { send } from '../../src/domain/verification/index.ts'
import { freshPhone } from '../harness/fixtures.ts'
import { Receipts } from './receipts.ts'
import type { Play } from './scenario.ts'
import { Sending, type SendingNode } from './sending.ts'
import { mostQueued, queueMessages, recipientLimit, type Stage } from './stage.ts'
import type { Wires } from './wire.ts'
import type { World } from './world.ts'

const mostCalls = 4
/** How often a caller repeats a call that was refused with 503. */
const mostTries = 12

interface Call {
  readonly key: string
  readonly recipient: string
  readonly answers: string[]
  refusal: string | null
  isOver: boolean
}

export const playMessages = (world: World, wires: Wires, stage: Stage): Promise<Play> =>
  playWith(world, wires, stage, null)

/** The same, with receipts: they may reach either node, perhaps before the node has recorded its own result. */
export const playReceipts = (world: World, wires: Wires, stage: Stage): Promise<Play> =>
  playWith(world, wires, stage, new Receipts(world, stage))

async function playWith(world: World, wires: Wires, stage: Stage, receipts: Receipts | null): Promise<Play> {
  const sending = new Sending(world, wires, stage, { receipts })
  const { nodes } = sending
  const clock = { nowMs: () => world.nowMs }
  const keyring = () => stage.keyring
  const queued = world.tape.below(mostQueued + 1)
  await queueMessages(stage, queued)
  await sending.start('A')
  await sending.start('B')
  const calls = makeCalls(world, queued === 0 ? 1 + world.tape.below(mostCalls) : world.tape.below(3))
  const caller = world.addActor('caller')
  for (const call of calls) await world.as(caller, () => void makeCall(call))

  async function makeCall(call: Call): Promise<void> {
    for (let tries = 0; tries < mostTries; tries++) {
      const { living } = sending
      const node = living[world.tape.below(living.length)]
      if (node) {
        const result = await ask(node, call)
        if (result) break
      }
      await new Promise<void>((resolve) =>
        world.addTimer({ actor: caller, what: 'tries again', run: resolve }, 1_000),
      )
    }
    call.isOver = true
  }

  /** The caller has its own timeout, because a dead node never answers. */
  function ask(node: SendingNode, call: Call): Promise<boolean> {
    return new Promise((resolve) => {
      const cancel = world.addTimer({ actor: caller, what: 'has waited', run: () => resolve(false) }, 20_000)
      world.add({
        actor: node.actor,
        what: 'is called',
        run: () => {
          const answer = send(
            { database: node.database, keyring, clock, issue: node.issue, noteRefusal: () => {} },
            stage.principal,
            { recipient: call.recipient, locale: null, clientIp: null, idempotencyKey: call.key },
          )
          const hear = (isOver: boolean) => {
            cancel()
            resolve(isOver)
          }
          answer.then(
            ({ otp_id }) =>
              world.add({
                actor: caller,
                what: 'hears',
                run: () => {
                  call.answers.push(otp_id)
                  hear(true)
                },
              }),
            (error: unknown) =>
              world.add({
                actor: caller,
                what: 'hears',
                run: () => {
                  const name = error instanceof AppError ? error.errorName : String(error)
                  if (name === 'UnavailableError') return hear(false)
                  call.refusal = name
                  hear(true)
                },
              }),
          )
        },
      })
    })
  }

  return {
    nodes: () => nodes.map(({ actor }) => actor),
    replace: () => sending.start(`N${world.actors.length}`),
    isOver: async () => {
      if (calls.some(({ isOver }) => !isOver)) return false
      return (await sending.areMessagesOver()) && (!receipts || (await receipts.isOver()))
    },
    check: async () => {
      await sending.check()
      await receipts?.check()
      await checkCalls(world, stage, calls)
    },
  }
}

/** Half of them go to one person, and may be more than that person's limit allows. */
function makeCalls(world: World, count: number): Call[] {
  const shared = freshPhone()
  return Array.from({ length: count }, (_, index) => ({
    key: `key-${index}`,
    recipient: index > 0 && world.tape.below(2) === 0 ? freshPhone() : shared,
    answers: [],
    refusal: null,
    isOver: false,
  }))
}

async function checkCalls(world: World, stage: Stage, calls: readonly Call[]): Promise<void> {
  const [found] = await stage.post.look<{ ids: string[]; keys: number }>(
    `select array(select otp_id from verifications where not otp_id = any($1)) as ids,
            (select count(*)::integer from idempotency_keys) as keys`,
    [stage.otpIds],
  )
  const answered = calls.filter(({ answers }) => answers.length > 0)
  const ids = new Set(answered.flatMap(({ answers }) => answers))
  for (const { key, answers } of calls)
    if (new Set(answers).size > 1) world.violate(`${key} has two verifications`)
  for (const id of ids) if (!found?.ids.includes(id)) world.violate('an accepted send is lost')
  for (const { key, refusal, answers, recipient } of calls) {
    if (refusal !== null && refusal !== 'RateLimitExceededError') world.violate(`${key} got ${refusal}`)
    const alike = calls.filter((call) => call.recipient === recipient)
    const accepted = alike.filter((call) => call.answers.length > 0).length
    if (accepted > recipientLimit)
      world.violate(`${accepted} sends to one person with a limit of ${recipientLimit}`)
    if (
      refusal !== null &&
      answers.length === 0 &&
      found &&
      found.ids.length < Math.min(recipientLimit, alike.length)
    )
      world.violate(`${key} was refused though the limit was not used up`)
  }
  if (found && found.keys !== found.ids.length)
    world.violate(`${found.ids.length} verifications of ${found.keys} keys`)
}
