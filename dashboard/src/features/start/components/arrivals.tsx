import { Link } from '@tanstack/react-router'
import ExternalLink from 'lucide-react/icons/external-link'
import { Loaded } from '#components/ui/problem.tsx'
import { SkeletonRows } from '#components/ui/skeleton.tsx'
import { textLink } from '#components/ui/text-link.tsx'
import { Channel, DeliveryState, Time, VerificationStatus } from '#components/ui/values.tsx'
import { useMe } from '#lib/session.ts'
import type { useArrivals } from '../api/arrivals.ts'
import type { Carrier } from '../api/read-recipient.ts'

interface ArrivalsProps {
  readonly appId: string
  readonly query: ReturnType<typeof useArrivals>
  /** In the form that a send takes; null if there is none. */
  readonly recipient: string | null
  readonly carrier: Carrier
}

export function Arrivals({ appId, query, recipient, carrier }: ArrivalsProps) {
  return (
    <div className="flex flex-col gap-3">
      <div aria-live="polite" className="overflow-hidden rounded-md border bg-surface">
        <Loaded query={query} loading={<SkeletonRows rows={1} />}>
          {({ verifications }) =>
            verifications.length === 0 ? (
              <Waiting />
            ) : (
              <ul>
                {verifications.map((one) => (
                  <li
                    key={one.otp_id}
                    className="flex animate-rise flex-wrap items-center gap-x-5 gap-y-1 border-b px-4 py-2.5 text-sm last:border-b-0"
                  >
                    <Link
                      to="/a/$appId/verifications/$otpId"
                      params={{ appId, otpId: one.otp_id }}
                      className="font-medium hover:text-accent"
                    >
                      {one.masked_recipient}
                    </Link>
                    <VerificationStatus status={one.status} />
                    <span className="flex items-center gap-1.5 text-muted">
                      <Channel name={one.channel} /> · <DeliveryState status={one.delivery_status} />
                    </span>
                    <span className="ml-auto text-xs text-faint">
                      <Time value={one.created_at} />
                    </span>
                  </li>
                ))}
              </ul>
            )
          }
        </Loaded>
      </div>
      <Whereabouts recipient={recipient} carrier={carrier} />
    </div>
  )
}

const Waiting = () => (
  <p className="flex items-center gap-3 px-4 py-4 text-sm text-muted">
    <span aria-hidden="true" className="relative flex size-2.5">
      <span className="absolute inset-0 animate-ping rounded-full bg-accent opacity-60" />
      <span className="size-2.5 rounded-full bg-accent" />
    </span>
    Waiting for the first verification. It will appear here by itself.
  </p>
)

/** In a sandbox the code arrives on a simulated phone; elsewhere on a real one. */
function Whereabouts({ recipient, carrier }: Pick<ArrivalsProps, 'recipient' | 'carrier'>) {
  const phones = useMe().installation.phones_url
  if (carrier !== 'simulator' || recipient === null)
    return (
      <p className="text-sm text-muted">
        {carrier === 'real'
          ? 'The code arrives on the phone, or in the mailbox, that you named.'
          : 'Open a verification to see who carried its message.'}
      </p>
    )
  return (
    <p className="text-sm text-muted">
      The simulator plays the carrier, so no real message is sent.{' '}
      <a href={`${phones}/#${recipient}`} target="_blank" rel="noreferrer" className={textLink}>
        Open the phone of {recipient}
        <ExternalLink className="ml-1 inline size-3" aria-label="(opens in a new tab)" />
      </a>{' '}
      to read the code.
    </p>
  )
}
