/**
 * One verification with resends, moves to other channels, guesses and messages from the person, all at once on two
 * nodes, while its messages are handed over.
 */
import { AppError, type ChannelName } from '@countersign/contract'
import type { InboundMessage } from '../../src/channels/channel.ts'
import type { AppInForce } from '../../src/domain/tenancy/index.ts'
import { createJudge, receiveMessage, resend, verify } from '../../src/domain/verification/index.ts'
import type { OtpId } from '../../src/platform/ids.ts'
import { checkResends, type Done } from './resends-check.ts'
import type { Play } from './scenario.ts'
import { prices, Sending, type SendingNode } from './sending.ts'
import { queueMessages, type Stage } from './stage.ts'
import type { Wires } from './wire.ts'
import type { World } from './world.ts'

const modes = ['link_inbound', 'link_code', 'template'] as const
/** Short, so that a second resend is possible within a schedule. */
const cooldownSeconds = 5
const mostDeeds = 8
/** The weights of a resend, a guess, and a message that the person writes. */
const kinds = [5, 4, 4]
const channels: readonly (ChannelName | null)[] = [null, 'whatsapp', 'sms', 'telegram']
const whenMs = [1, 6_000, 6_001, 12_000, 20_000]
const mostVersions = 4
const patienceMs = 20_000
/** WhatsApp repeats a message until it is acknowledged. */
const againMs = 3_000
const otherPhone = '+447400999999'

export async function playResends(world: World, wires: Wires, stage: Stage): Promise<Play> {
  await queueMessages(stage, 1)
  const otpId = stage.otpIds[0]
  if (!otpId) throw new Error('the stage has no verification')
  // The first message of the stage was sent with a longer cooldown.
  await stage.post.look('update verifications set resend_at = created_at')
  const app = appOf(stage, modes[world.tape.below(modes.length)] ?? 'template')
  const sending = new Sending(world, wires, stage, { app })
  const deeds = new Deeds(world, stage, sending, { app, otpId })
  await sending.start('A')
  await sending.start('B')
  deeds.begin(2 + world.tape.below(mostDeeds - 1))
  return {
    nodes: () => sending.nodes.map(({ actor }) => actor),
    replace: () => sending.start(`N${world.actors.length}`),
    isOver: async () => deeds.areOver && (await sending.areMessagesOver()),
    check: async () => {
      await sending.check()
      await checkResends(world, stage, deeds.done, { app, otpId })
    },
  }
}

function appOf({ principal: { app } }: Stage, mode: (typeof modes)[number]): AppInForce {
  const { settings } = app
  return {
    ...app,
    settings: {
      ...settings,
      resend_cooldown_s: cooldownSeconds,
      channels: { ...settings.channels, whatsapp: { enabled: true, mode } },
    },
  }
}

class Deeds {
  readonly done: Done = { resends: [], guesses: [], written: [] }
  readonly #world: World
  readonly #stage: Stage
  readonly #sending: Sending
  readonly #app: AppInForce
  readonly #otpId: OtpId
  readonly #caller
  #under = 0
  #messages = 0

  constructor(
    world: World,
    stage: Stage,
    sending: Sending,
    { app, otpId }: { readonly app: AppInForce; readonly otpId: OtpId },
  ) {
    this.#world = world
    this.#stage = stage
    this.#sending = sending
    this.#app = app
    this.#otpId = otpId
    this.#caller = world.addActor('people')
  }

  get areOver(): boolean {
    return this.#under === 0
  }

  begin(count: number): void {
    const { tape } = this.#world
    for (let deed = 0; deed < count; deed++) {
      const kind = tape.choose(kinds)
      const run = [() => this.#resend(), () => this.#guess(), () => this.#write()][kind] ?? (() => {})
      this.#under++
      this.#world.addTimer(
        { actor: this.#caller, what: 'does something', run },
        whenMs[tape.below(whenMs.length)] ?? 1,
      )
    }
  }

  #resend(): void {
    const channel = channels[this.#world.tape.below(channels.length)] ?? null
    const one = { channel, answer: null as string | null }
    this.done.resends.push(one)
    const principal = { ...this.#stage.principal, app: this.#app }
    this.#ask(
      ({ issue }) => resend({ issue }, principal, { otpId: this.#otpId, channel }),
      ({ action_url }) => {
        one.answer = 'sent'
        if (action_url !== null) this.done.written.push(...this.#textsOf(action_url))
      },
      (name) => {
        one.answer = name
      },
    )
  }

  /** The text of a link that a person has seen, and may send. */
  #textsOf(actionUrl: string) {
    const text = new URL(actionUrl).searchParams.get('text') ?? ''
    return [{ text, from: null as string | null, isAcknowledged: false, acknowledgedMs: 0 }]
  }

  #guess(): void {
    const { tape } = this.#world
    const { keyring } = this.#stage
    const version = 1 + tape.below(mostVersions)
    const right = keyring.code(1, this.#otpId, version, this.#app.settings.code_length)
    const isRight = tape.choose([2, 1]) === 0
    const code = isRight ? right : right.replace(/^./, (digit) => String((Number(digit) + 1) % 10))
    const one = { version: isRight ? version : null, answer: null as string | null }
    this.done.guesses.push(one)
    this.#ask(
      (node) =>
        verify(
          this.#judging(node),
          { ...this.#stage.principal, app: this.#app },
          { otpId: this.#otpId, code },
        ),
      ({ matched, status }) => {
        one.answer = matched ? 'matched' : status
      },
      (name) => {
        one.answer = name
      },
    )
  }

  #judging({ actor, database }: SendingNode) {
    const world = this.#world
    return {
      judge: createJudge({
        database,
        clock: { nowMs: () => world.nowMs },
        countUnguarded: (error) => world.violate(`the guard broke: ${error}`),
        metrics: { observeBatch: () => {} },
      }),
      clock: { nowMs: () => world.nowMs },
      keyring: () => this.#stage.keyring,
      providers: this.#sending.carrier.providersFor(actor),
      prove: async () => null as never,
      onApproved: () => {},
    }
  }

  /** Sends the text of the newest link that was shown, perhaps from another phone. */
  #write(): void {
    const seen = this.done.written.findLast(({ from }) => from === null)
    if (!seen) {
      this.#under--
      return
    }
    const isOther = this.#world.tape.choose([3, 1]) === 1
    const from = isOther ? otherPhone : (this.#stage.phones.get(this.#otpId) ?? '')
    const one = { text: seen.text, from, isAcknowledged: false, acknowledgedMs: 0 }
    this.done.written.push(one)
    const message: InboundMessage = { messageId: `wamid-${++this.#messages}`, from, text: seen.text }
    this.#bring(message, one)
    // A webhook may arrive twice.
    if (this.#world.tape.choose([3, 1]) === 1) {
      this.#under++
      this.#bring(message, one)
    }
  }

  #bring(message: InboundMessage, one: Done['written'][number]): void {
    const again = () => {
      this.#under++
      this.#world.addTimer(
        { actor: this.#caller, what: 'is brought again', run: () => this.#bring(message, one) },
        againMs,
      )
    }
    this.#ask(
      (node) => this.#receive(node, message),
      () => {
        if (!one.isAcknowledged) one.acknowledgedMs = this.#world.nowMs
        one.isAcknowledged = true
      },
      () => again(),
      () => again(),
    )
  }

  async #receive({ actor, database, nudge }: SendingNode, message: InboundMessage): Promise<void> {
    const world = this.#world
    const provider = this.#sending.carrier.providersFor(actor).find('capture-whatsapp')
    if (!provider) throw new Error('there is no account for WhatsApp')
    await receiveMessage(
      {
        database,
        keyring: () => this.#stage.keyring,
        clock: { nowMs: () => world.nowMs },
        prices: async () => prices,
        nudge,
        metrics: { countApproval: () => {} },
      },
      provider,
      message,
    )
  }

  /** Asks a live node, with a timeout. Until then the call counts as under way. */
  #ask<Answer>(
    ask: (node: SendingNode) => Promise<Answer>,
    onAnswer: (answer: Answer) => void,
    onRefusal: (name: string) => void,
    onSilence: () => void = () => {},
  ): void {
    const world = this.#world
    const { living } = this.#sending
    const node = living[world.tape.below(living.length)]
    let isOver = false
    const end = (then: () => void) => {
      if (isOver) return
      isOver = true
      cancel()
      then()
      this.#under--
    }
    const cancel = world.addTimer(
      { actor: this.#caller, what: 'has waited', run: () => end(onSilence) },
      patienceMs,
    )
    if (!node) return
    const hear = (then: () => void) => world.add({ actor: this.#caller, what: 'hears', run: () => end(then) })
    world.add({
      actor: node.actor,
      what: 'is called',
      run: () => {
        ask(node).then(
          (answer) => hear(() => onAnswer(answer)),
          (error: unknown) => {
            const name = error instanceof AppError ? error.errorName : String(error)
            world.tell(`${node.actor.name} answers ${name}`)
            hear(() => onRefusal(name))
          },
        )
      },
    })
  }
}
