import { randomInt } from 'node:crypto'
import { afterReading } from '../../platform/after-reading.ts'
import type { OutgoingMessage, SendOutcome } from '../channel.ts'
import { providerError } from '../provider-error.ts'
import { destinationAddress, sourceAddress } from './address.ts'
import { readMessageId, submitBody } from './bodies.ts'
import type { SmppLink } from './link.ts'
import { COMMAND, responseId } from './pdu.ts'
import { type Segment, segmentText } from './segments.ts'
import type { SendWindow } from './send-window.ts'
import type { SentMessages } from './sent-messages.ts'
import { type Exchange, SmppSession } from './session.ts'
import type { SmppSettings } from './settings.ts'
import { isThrottling, type SubmitFailure, submitFailure } from './status.ts'

export interface SmppParts {
  readonly settings: SmppSettings
  readonly link: SmppLink
  readonly window: SendWindow
  readonly sent: SentMessages
}

/**
 * Returns the id of the first part; a part that is not accepted decides the outcome. Once a part was accepted, the text
 * must not be sent again as a whole, whatever happens to the other parts.
 */
export async function sendText(
  parts: SmppParts,
  message: OutgoingMessage,
  signal: AbortSignal,
): Promise<SendOutcome> {
  const segments = segmentText(message.text, randomInt(256))
  if (segments === null)
    return { kind: 'refused', error: providerError('text_too_long', 'Too long for SMS.') }
  const tracked = parts.sent.begin(message.deliveryId, segments.length)
  for (const [index, segment] of segments.entries()) {
    const submit = () => submitSegment(parts, message, segment, signal, (id) => parts.sent.add(tracked, id))
    let failure = await submit()
    // The carrier only throttles, and `acquire` waits for the pause to end.
    while (index > 0 && failure?.kind === 'retry' && parts.window.isPaused && !signal.aborted)
      failure = await submit()
    if (failure !== null) return index === 0 ? failure : { kind: 'uncertain', error: failure.error }
  }
  return { kind: 'accepted', messageId: tracked.firstId }
}

async function submitSegment(
  parts: SmppParts,
  message: OutgoingMessage,
  segment: Segment,
  signal: AbortSignal,
  onTaken: (rawId: string) => void,
): Promise<SubmitFailure | null> {
  const { settings, link, window } = parts
  if (!(await window.acquire(signal))) {
    const error = providerError('window_full', 'The carrier has not answered earlier messages yet.')
    return { kind: 'retry', error, afterSeconds: null }
  }
  const session = await link.ready(signal)
  if (!(session instanceof SmppSession)) {
    window.release()
    return session
  }
  if (signal.aborted) {
    window.release()
    return {
      kind: 'retry',
      error: providerError('deadline', 'Not connected to the carrier in time.'),
      afterSeconds: null,
    }
  }
  const body = submitBody(
    sourceAddress(settings),
    destinationAddress(message.recipient),
    segment,
    message.ttlSeconds,
  )
  return new Promise((resolve) => {
    const giveUp = (): void => {
      const error = providerError('deadline', 'The carrier did not answer in time.')
      afterReading(() => resolve({ kind: 'uncertain', error }))
    }
    signal.addEventListener('abort', giveUp)
    // An answer after the deadline still frees the slot, and has the id that receipts will use.
    session.submit(body, (exchange) => {
      signal.removeEventListener('abort', giveUp)
      window.release()
      resolve(readExchange(exchange, window, onTaken))
    })
  })
}

function readExchange(
  exchange: Exchange,
  window: SendWindow,
  onTaken: (rawId: string) => void,
): SubmitFailure | null {
  if (exchange.kind === 'not-written') {
    const error = providerError('not_connected', 'Not connected to the carrier.')
    return { kind: 'retry', error, afterSeconds: null }
  }
  if (exchange.kind === 'lost') {
    const error = providerError('connection_lost', 'The connection was lost before the carrier answered.')
    return { kind: 'uncertain', error }
  }
  const { commandId, status, body } = exchange.pdu
  if (status === 0 && commandId !== responseId(COMMAND.submitSm)) {
    // A generic_nack without an error, or an answer to another command: it says nothing about the message.
    const error = providerError('wrong_answer', 'The carrier gave the answer to another command.')
    return { kind: 'uncertain', error }
  }
  if (status === 0) {
    window.speedUp()
    onTaken(readMessageId(body))
    return null
  }
  const pauseMs = isThrottling(status) ? window.slowDown() : null
  return submitFailure(status, pauseMs === null ? null : Math.ceil(pauseMs / 1_000))
}
