/** What happened to one verification, in sentences, oldest first. */
import { type VerificationDetail, whyRefused } from '@countersign/contract'
import type { DecisionView, DeliveryView, FoundVerification } from '../verification/index.ts'
import type { ListedEvent } from '../webhooks/index.ts'
import type { RecordedRefusal } from './refusal-store.ts'
import { count, figure, messageWords } from './words.ts'

type Entry = VerificationDetail['timeline'][number]
type Moment = Omit<Entry, 'at'> & { readonly at: Date }

export interface Story {
  readonly found: FoundVerification
  readonly decisions: readonly DecisionView[]
  readonly deliveries: readonly DeliveryView[]
  readonly events: readonly ListedEvent[]
  readonly refusals: readonly RecordedRefusal[]
}

export function timelineOf(story: Story): Entry[] {
  return [
    ...sendMoments(story),
    ...story.deliveries.flatMap(deliveryMoments),
    ...story.refusals.map(refusalMoment),
    ...guessMoments(story.found),
    ...endMoments(story.found),
    ...story.events.map((event) => eventMoment(event, story)),
  ]
    .sort((left, right) => left.at.getTime() - right.at.getTime())
    .map((moment) => ({ ...moment, at: moment.at.toISOString() }))
}

type About = Partial<Pick<Entry, 'channel' | 'delivery_id' | 'event_id'>>

const moment = (at: Date, kind: Entry['kind'], text: string, about: About = {}): Moment => ({
  at,
  kind,
  text,
  channel: null,
  delivery_id: null,
  event_id: null,
  ...about,
})

const openings: Readonly<Record<DeliveryView['channel'], string>> = {
  sms: 'by SMS',
  whatsapp: 'on WhatsApp',
  telegram: 'on Telegram',
  email: 'by email',
}

/** A message is queued in the same commit as its decision; a send without a message gave out a link. */
function sendMoments({ decisions, deliveries }: Story): Moment[] {
  const unclaimed = [...deliveries]
  let version = 0
  return decisions.map(({ kind, at }) => {
    const index = unclaimed.findIndex(({ createdAt }) => createdAt.getTime() === at.getTime())
    const message = index < 0 ? undefined : unclaimed.splice(index, 1)[0]
    const channel = message?.channel ?? 'whatsapp'
    const how = message ? openings[channel] : 'with a WhatsApp link'
    // People who have several codes ask which of them works.
    const isFresh = version > 0 && message !== undefined && message.codeVersion > version
    version = message?.codeVersion ?? version
    const which = isFresh ? ' with a new code. Earlier codes no longer work' : ''
    return kind === 'send'
      ? moment(at, 'started', `Started ${how}.`, { channel })
      : moment(at, 'resent', `Resent ${how}${which}.`, { channel })
  })
}

function deliveryMoments(delivery: DeliveryView): Moment[] {
  const { channel, status, sentAt, updatedAt, error } = delivery
  const about = { channel, delivery_id: delivery.deliveryId }
  const name = messageWords[channel]
  const moments = [moment(delivery.createdAt, 'queued', `The ${name} was queued.`, about)]
  if (delivery.takenOverAt) {
    const text = `A process stopped while it was sending the ${name}. Another one took over, so it may arrive twice.`
    moments.push(moment(delivery.takenOverAt, 'taken_over', text, about))
  }
  const takenAt = sentAt ?? (status === 'sent' ? updatedAt : null)
  if (takenAt) moments.push(moment(takenAt, 'sent', `The provider accepted the ${name}.`, about))
  if (status === 'delivered')
    moments.push(moment(updatedAt, 'delivered', `The ${name} was delivered.`, about))
  if (status === 'failed') {
    const why = error ? ` ${error.message} (${error.code})` : ''
    moments.push(moment(updatedAt, 'delivery_failed', `The ${name} was not delivered.${why}`, about))
  }
  return moments
}

function refusalMoment({ createdAt: at, rule, facts, channel, count: times }: RecordedRefusal): Moment {
  const more =
    times > 1
      ? ` ${figure(times - 1)} more like it ${times === 2 ? 'was' : 'were'} refused within a minute.`
      : ''
  return moment(at, 'refused', `A resend was refused. ${whyRefused(rule, facts)}${more}`, { channel })
}

function guessMoments({ verification, guessedAt }: FoundVerification): Moment[] {
  const { maxAttempts, verifiedAt } = verification
  return guessedAt.map((at, index) => {
    const left = maxAttempts - index - 1
    const late = verifiedAt && at > verifiedAt ? ' after the approval' : ''
    return moment(
      at,
      'wrong_code',
      `A wrong code was entered${late}. ${left === 0 ? 'No attempts' : count(left, 'attempt')} ${left === 1 ? 'is' : 'are'} left.`,
    )
  })
}

function endMoments({ verification, isExpired, guessedAt, cancelledAt }: FoundVerification): Moment[] {
  const { status, verifiedAt, expiresAt, maxAttempts, channel } = verification
  if (status === 'approved' && verifiedAt)
    return [moment(verifiedAt, 'approved', `Approved ${howApproved(verification)}.`, { channel })]
  if (cancelledAt) return [moment(cancelledAt, 'cancelled', 'Cancelled. The code no longer works.')]
  if (status === 'failed') {
    const text = `Failed. ${maxAttempts === 1 ? 'The only attempt was' : `All ${maxAttempts} attempts were`} used.`
    return [moment(guessedAt.at(-1) ?? expiresAt, 'failed', text)]
  }
  return isExpired ? [moment(expiresAt, 'expired', 'Expired.')] : []
}

/** `replayUntil` is set only after an approval by code. */
function howApproved({ approvedBy, replayUntil }: FoundVerification['verification']): string {
  if (approvedBy === null) return 'by the person’s WhatsApp message'
  return replayUntil === null ? 'by the app’s backend' : 'with the right code'
}

const eventWords: Readonly<Record<ListedEvent['status'], string>> = {
  waiting: 'is waiting to be sent to the endpoint',
  held: 'is waiting for the endpoint, which is paused',
  sending: 'is being sent to the endpoint',
  delivered: 'was accepted by the endpoint',
  failed: 'could not be delivered to the endpoint',
  expired: 'was held for too long and was not sent',
  skipped: 'was not sent, because there was no endpoint for it',
}

/** The row of an event has the time when the statement began, a moment before the change that it reports. */
function eventMoment(event: ListedEvent, { found, deliveries }: Story): Moment {
  const delivery = deliveries.find(({ deliveryId }) => deliveryId === event.deliveryId)
  const cause = event.deliveryId
    ? delivery?.updatedAt
    : (found.verification.verifiedAt ?? found.cancelledAt ?? found.guessedAt.at(-1))
  const at = cause && cause > event.createdAt ? cause : event.createdAt
  const text = `The event ${event.type} ${eventWords[event.status]}.`
  return moment(at, 'event', text, { event_id: event.eventId, delivery_id: event.deliveryId })
}
