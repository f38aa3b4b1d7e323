import { useLocation, useNavigate } from '@tanstack/react-router'
import { ApiError } from '#lib/api-error.ts'

/** Somebody who is looked for, as people write them. */
export interface Wanted {
  readonly recipient: string
  /** Where a number without its calling code is dialled. */
  readonly country: string | undefined
}

/** The service could not read it as a number or an address. */
export const isUnreadable = (error: unknown): boolean =>
  error instanceof ApiError && error.type === 'InvalidRecipientError'

/** What somebody is told who typed neither. */
export const unreadable =
  'This is neither an email address nor a whole phone number. A number that does not begin with its calling code needs its country.'

/**
 * Who is looked for on this page. It is kept beside the address, so that Back brings it again and no address has a
 * recipient in it.
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
