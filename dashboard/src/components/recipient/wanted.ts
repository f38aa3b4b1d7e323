import { useLocation, useNavigate } from '@tanstack/react-router'
import { ApiError } from '#lib/api-error.ts'

/** A recipient to look for, as people write it. */
export interface Wanted {
  readonly recipient: string
  /** The country of a number that is written without its calling code. */
  readonly country: string | undefined
}

/** Whether the service could not read the text as a number or an email address. */
export const isUnreadable = (error: unknown): boolean =>
  error instanceof ApiError && error.type === 'InvalidRecipientError'

/** The message for a text that is neither. */
export const unreadable =
  'This is not an email address or a complete phone number. If the number has no country code, choose its country.'

/**
 * The recipient that this page looks for. It is kept in the history state, so that Back restores it and no address
 * contains a recipient.
 */
export function useWanted(): readonly [Wanted | null, (wanted: Wanted | null) => void] {
  const { recipient, country } = useLocation({ select: ({ state }) => state })
  const navigate = useNavigate()
  const set = (wanted: Wanted | null) =>
    void navigate({
      to: '.',
      search: true,
      state: wanted ? { recipient: wanted.recipient, country: wanted.country } : {},
      replace: true,
    })
  return [recipient ? { recipient, country } : null, set]
}
