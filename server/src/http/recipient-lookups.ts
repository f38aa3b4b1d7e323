/**
 * Bounds how many recipients a viewer may look up. A viewer sees masked numbers only; whoever could ask about every
 * number of a block would know which of them are customers.
 */
import { AppError, type Role } from '@countersign/contract'

/** More than somebody looks up who helps customers. */
export const mostLookups = 120
const windowMs = 600_000
/** Forgotten windows are removed once there are so many. */
const mostKept = 1_000

export type CountLookup = (personId: string, role: Role | null, input: unknown) => void

interface Window {
  /** A page that is open asks about the same recipient again and again, which tells nothing new. */
  readonly recipients: Set<string>
  readonly untilMs: number
  last: string
}

/** Counted by each process for itself. */
export function createLookups(nowMs: () => number = () => performance.now()): CountLookup {
  const windows = new Map<string, Window>()
  return (personId, role, input) => {
    const recipient = recipientIn(input)
    if (role !== 'viewer' || recipient === null) return
    const now = nowMs()
    if (windows.size >= mostKept)
      for (const [key, { untilMs }] of windows) if (untilMs <= now) windows.delete(key)
    const open = windows.get(personId)
    const window =
      open && open.untilMs > now
        ? open
        : { recipients: new Set<string>(), untilMs: now + windowMs, last: recipient }
    const { recipients, untilMs, last } = window
    // The preview asks while somebody is typing: what goes on where the last one ended is still the same.
    if (recipient.startsWith(last)) recipients.delete(last)
    if (recipients.size >= mostLookups && !recipients.has(recipient))
      throw tooMany(Math.ceil((untilMs - now) / 1000))
    recipients.add(recipient)
    window.last = recipient
    windows.set(personId, window)
  }
}

/** However it is written: blanks and brackets make no other recipient. */
const recipientIn = (input: unknown): string | null =>
  typeof input === 'object' && input !== null && 'recipient' in input && typeof input.recipient === 'string'
    ? input.recipient.replace(/[^\p{L}\p{N}@]/gu, '').toLowerCase()
    : null

const tooMany = (retryAfter: number) =>
  new AppError(
    'RateLimitExceededError',
    `A viewer can look up ${mostLookups} recipients in ${windowMs / 60_000} minutes (scope person).`,
    { scope: 'person', retry_after: retryAfter },
  )
