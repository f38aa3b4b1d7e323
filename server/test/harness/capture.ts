/** Providers that record what they are given, one per channel. A test decides the outcome of each attempt. */
import type { ChannelName } from '@countersign/contract'
import type { InboundMessage, OutgoingMessage, Receipt, SendOutcome } from '../../src/channels/channel.ts'
import type { Provider } from '../../src/domain/routing/index.ts'

export const whatsappNumber = '15550001111'

export interface Captured extends OutgoingMessage {
  readonly channel: ChannelName
  readonly messageId: string
}

type Answer = (
  message: OutgoingMessage,
  channel: ChannelName,
  signal: AbortSignal,
) => SendOutcome | Promise<SendOutcome>

export class Capture {
  readonly messages: Captured[] = []
  #count = 0
  #answer: Answer | null = null
  receipt: (providerId: string, receipt: Receipt) => void = () => {}

  /** Applies until the next call of this; null accepts everything. */
  answerWith(answer: Answer | null): void {
    this.#answer = answer
  }

  to(recipient: string, channel?: ChannelName): Captured[] {
    return this.messages.filter(
      (message) => message.recipient === recipient && (!channel || message.channel === channel),
    )
  }

  providers(channels: readonly ChannelName[] = ['sms', 'whatsapp', 'telegram', 'email']): Provider[] {
    return channels.map((channel) => ({
      providerId: `capture-${channel}`,
      kind: 'capture',
      channel,
      companyId: null,
      countries: null,
      priority: 100,
      whatsappNumber: channel === 'whatsapp' ? whatsappNumber : null,
      account: {
        send: (message, signal) => this.#take(message, channel, signal),
        // A test writes the person's message as JSON; signatures are tested elsewhere.
        parseCallback: ({ body }) => ({
          kind: 'accepted',
          receipts: [],
          inbound: [JSON.parse(body.toString()) as InboundMessage],
        }),
        close: async () => {},
      },
    }))
  }

  async #take(message: OutgoingMessage, channel: ChannelName, signal: AbortSignal): Promise<SendOutcome> {
    const outcome = (await this.#answer?.(message, channel, signal)) ?? {
      kind: 'accepted' as const,
      messageId: `m-${++this.#count}`,
    }
    if (outcome.kind === 'accepted') {
      this.messages.push({ ...message, channel, messageId: outcome.messageId ?? '' })
    }
    return outcome
  }
}

/** The same account, with callbacks that carry a receipt as JSON. */
export const hearing = (original: Provider): Provider => ({
  ...original,
  account: {
    ...original.account,
    parseCallback: ({ body }) => ({
      kind: 'accepted',
      receipts: [JSON.parse(body.toString()) as Receipt],
      inbound: [],
    }),
  },
})
