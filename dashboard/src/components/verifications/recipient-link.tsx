import { Link } from '@tanstack/react-router'
import { rowLinkClass } from '#components/ui/table.tsx'
import { useThisList } from './way-back.tsx'

interface RecipientLinkProps {
  readonly appId: string
  readonly otpId: string
  readonly recipient: string
}

/** The recipient of a row, as the link to its verification; from there a link leads back to this list. */
export function RecipientLink({ appId, otpId, recipient }: RecipientLinkProps) {
  const state = useThisList()
  return (
    <Link
      to="/a/$appId/verifications/$otpId"
      params={{ appId, otpId }}
      state={state}
      className={rowLinkClass}
    >
      {recipient}
    </Link>
  )
}
