import { type HistoryState, Link, useLocation } from '@tanstack/react-router'
import { textLink } from '#components/ui/text-link.tsx'

/** The history state that a row passes to the page it opens: the list as it is now. */
export function useThisList(): HistoryState {
  const { pathname, search, state } = useLocation()
  return { list: { pathname, search, recipient: state.recipient, country: state.country } }
}

/** Leads back to the list that a verification was opened from, with its filters and the recipient it looked for. */
export function WayBack({ appId }: { readonly appId: string }) {
  const { list } = useLocation({ select: ({ state }) => state })
  const title = list?.pathname.endsWith('/search') ? 'Find a person' : 'Verifications'
  return (
    <Link
      to={list?.pathname ?? `/a/${appId}/verifications`}
      search={list?.search ?? {}}
      state={{ recipient: list?.recipient, country: list?.country }}
      className={textLink}
    >
      {title}
    </Link>
  )
}
