/** Answers “no code came”: what became of the code, and what helps now. */
import type { ShownDelivery, VerificationDetail } from '@countersign/contract'
import { channelLabels } from '#lib/format.ts'

export interface InShort {
  readonly tone: 'plain' | 'warn'
  readonly what: string
  readonly next: string
  /** Whether the code may be sent again without naming a channel: a person with a link would only get the same link. */
  readonly maySendAgain: boolean
}

type Looked = Pick<
  VerificationDetail,
  | 'status'
  | 'cancelled_at'
  | 'channel'
  | 'action_url'
  | 'completion'
  | 'resend_available_at'
  | 'sends_remaining'
> & { readonly deliveries: readonly Pick<ShownDelivery, 'channel' | 'status' | 'error'>[] }

const startAnew = 'The person has to ask for a new code in the app.'

/** Null once the person is approved: nobody asks then. */
export function inShort(verification: Looked): InShort | null {
  const { status, cancelled_at: cancelledAt, resend_available_at: resendAt, action_url: link } = verification
  if (status === 'approved') return null
  if (cancelledAt) return over('Somebody cancelled this verification.')
  if (status === 'failed') return over('Too many wrong codes were entered.')
  const message = lastMessage(verification)
  const isSpent = resendAt === null || verification.sends_remaining === 0
  const { what, helps, tone } = message ? ofMessage(message) : ofLink(verification, isSpent)
  if (status === 'expired') return { ...over(what), tone, next: `The code has expired. ${startAnew}` }
  const which = saidOfSeveral(verification)
  if (isSpent && message)
    return {
      ...over(what),
      tone,
      next: `${which}Nothing more can be sent for this verification. ${startAnew}`,
    }
  return { tone, what, next: `${which}${helps}`, maySendAgain: link === null }
}

/** A person with several codes asks which one works: a resend on a named channel makes a new code. */
const saidOfSeveral = ({ deliveries }: Looked): string =>
  deliveries.filter(({ status }) => status === 'sent' || status === 'delivered').length > 1
    ? 'If the person got several codes, only the latest one works. '
    : ''

const over = (what: string): InShort => ({ tone: 'warn', what, next: startAnew, maySendAgain: false })

/** None while the person has an unused link: messages before it belong to an earlier send. */
function lastMessage({ deliveries, channel }: Looked) {
  const last = deliveries.at(-1)
  return channel === 'whatsapp' && last?.channel !== 'whatsapp' ? undefined : last
}

interface Found {
  readonly tone: InShort['tone']
  readonly what: string
  readonly helps: string
}

/** The link still works when nothing more can be sent. */
function ofLink({ completion }: Looked, isSpent: boolean): Found {
  const isInbound = completion === 'inbound'
  const works = isInbound
    ? 'No code comes in this mode: their message verifies them.'
    : 'They get the code after they write.'
  const otherwise = isSpent
    ? 'let them ask for a code in the app again: nothing more can be sent for this one.'
    : `send ${isInbound ? 'a code' : 'it'} on another channel.`
  return {
    tone: 'plain',
    what: 'The person has not written from the WhatsApp link yet.',
    helps: `${works} If they have no WhatsApp, ${otherwise}`,
  }
}

function ofMessage({ channel, status, error }: Looked['deliveries'][number]): Found {
  const message = channel === 'email' ? 'email' : `${channelLabels[channel]} message`
  if (status === 'failed') {
    const why = error ? ` ${error.message}` : ''
    return { tone: 'warn', what: `The ${message} did not arrive.${why}`, helps: afterFailure(channel) }
  }
  if (status === 'queued')
    return {
      tone: 'warn',
      what: `The ${message} has not been sent yet.${error ? ` ${error.message}` : ''}`,
      helps: 'It goes out as soon as a provider takes it.',
    }
  if (status === 'sent')
    return {
      tone: 'plain',
      what: `A provider accepted the ${message}, but has not confirmed delivery.`,
      helps: `If no code came within a minute, ${again(channel)}.`,
    }
  return {
    tone: 'plain',
    what: `The provider says that the ${message} arrived. The code has not been entered.`,
    helps: `If they cannot find it, let them check ${channel === 'email' ? 'the spam folder and the address' : 'the number'}, or ${again(channel)}.`,
  }
}

const again = (channel: ShownDelivery['channel']) =>
  channel === 'email' ? 'send it again' : 'send it again on another channel'
const afterFailure = (channel: ShownDelivery['channel']) =>
  channel === 'email'
    ? 'Let the person check the address, then send it again.'
    : 'Let the person check the number, or send it again on another channel.'
