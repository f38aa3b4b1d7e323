/** Guesses at one verification, through two nodes at once. */
import { AppError } from '@countersign/contract'
import { createJudge, verify } from '../../src/domain/verification/index.ts'
import { Carrier } from './carrier.ts'
import type { Play } from './scenario.ts'
import { queueMessages, type Stage } from './stage.ts'
import type { Wires } from './wire.ts'
import type { Actor, World } from './world.ts'

const mostGuesses = 8

interface Guess {
  readonly isRight: boolean
  answer: string | null
}

export async function playGuesses(world: World, wires: Wires, stage: Stage): Promise<Play> {
  await queueMessages(stage, 1)
  const otpId = stage.otpIds[0] ?? ''
  const code = stage.keyring.code(1, otpId, 1, stage.principal.app.settings.code_length)
  const wrong = code.replace(/^./, (digit) => String((Number(digit) + 1) % 10))
  const clock = { nowMs: () => world.nowMs }
  const nodes: { actor: Actor; guess: (one: Guess) => void }[] = []

  async function start(name: string): Promise<void> {
    const actor = world.addActor(name)
    const judge = createJudge({
      database: wires.open(actor),
      clock,
      countUnguarded: (error) => world.violate(`the guard broke: ${error}`),
      metrics: { observeBatch: () => {} },
    })
    const dependencies = {
      judge,
      clock,
      keyring: () => stage.keyring,
      providers: new Carrier(world).providersFor(actor),
      prove: async () => null as never,
      onApproved: () => {},
    }
    nodes.push({
      actor,
      guess: (one) => {
        verify(dependencies, stage.principal, { otpId, code: one.isRight ? code : wrong }).then(
          ({ matched, status }) => {
            one.answer = matched ? 'matched' : status
            world.tell(`${name} answers ${one.answer}`)
          },
          (error: unknown) => {
            one.answer = error instanceof AppError ? error.errorName : String(error)
            world.tell(`${name} answers ${one.answer}`)
          },
        )
      },
    })
  }
  await start('A')
  await start('B')
  const guesses: Guess[] = Array.from({ length: 2 + world.tape.below(mostGuesses - 1) }, () => ({
    isRight: world.tape.choose([2, 1]) === 1,
    answer: null,
  }))
  for (const one of guesses) {
    const node = nodes[world.tape.below(nodes.length)]
    if (node) world.add({ actor: node.actor, what: 'is asked', run: () => node.guess(one) })
  }
  const [{ max } = { max: 0 }] = await stage.post.look<{ max: number }>(
    'select max_attempts::integer as max from verifications',
  )
  let quiet = 0
  return {
    nodes: () => nodes.map(({ actor }) => actor),
    replace: () => start(`N${world.actors.length}`),
    // Over after a few rounds in which nothing was left to do.
    isOver: async () => ++quiet > 3,
    check: () => check(world, stage, guesses, max),
  }
}

async function check(world: World, stage: Stage, guesses: readonly Guess[], max: number): Promise<void> {
  const [row] = await stage.post.look<{ status: string; attempts: number; events: string[] }>(
    `select status, attempts::integer, array(select type from events e where e.otp_id = v.otp_id) as events from verifications v`,
  )
  if (!row) return world.violate('the verification is gone')
  const count = (answer: string) => guesses.filter((each) => each.answer === answer).length
  const wrongOnes = guesses.filter(({ isRight }) => !isRight)
  if (row.attempts > max) world.violate(`${row.attempts} attempts of ${max}`)
  if (row.attempts > wrongOnes.length)
    world.violate(`${row.attempts} attempts are spent by ${wrongOnes.length} wrong guesses`)
  const told = wrongOnes.filter(({ answer }) => answer === 'pending' || answer === 'failed').length
  if (told > row.attempts)
    world.violate(`${told} wrong guesses were judged, and ${row.attempts} attempts are spent`)
  if (wrongOnes.some(({ answer }) => answer === 'matched')) world.violate('a wrong code was right')
  if (count('matched') > 0 && row.status !== 'approved') world.violate('an approval is lost')
  const expected =
    row.status === 'approved' ? ['otp.approved'] : row.status === 'failed' ? ['otp.failed'] : []
  if (row.events.join() !== expected.join())
    world.violate(`${row.status} with the events ${row.events.join()}`)
}
