import type { VerificationDetail } from '@countersign/contract'
import type { ReactNode } from 'react'
import { Card } from '#components/ui/card.tsx'
import { textLink } from '#components/ui/text-link.tsx'
import { Channel, Country, ExactTime, Money } from '#components/ui/values.tsx'
import { languageName } from '#lib/format.ts'
import { useMe } from '#lib/session.ts'

interface FactProps {
  readonly label: string
  readonly children: ReactNode
}

const Fact = ({ label, children }: FactProps) => (
  <div className="flex flex-wrap items-baseline justify-between gap-x-3 border-b py-1.5 last:border-b-0">
    <dt className="text-muted">{label}</dt>
    <dd className="min-w-0 text-right break-words">{children}</dd>
  </div>
)

/** The message is on a phone of the simulator, which is found by the masked recipient. */
function PhoneFact({ masked }: { readonly masked: string }) {
  const phones = useMe().installation.phones_url
  if (!phones) return null
  return (
    <Fact label="Message">
      <a
        href={`${phones}/#${encodeURIComponent(masked)}`}
        target="_blank"
        rel="noreferrer"
        className={textLink}
      >
        Open the phone
      </a>
    </Fact>
  )
}

/** Nothing was sent yet by an account that reaches real people, or the simulator carried some of it. */
const isOnPhone = ({ deliveries }: VerificationDetail) =>
  deliveries.length === 0 || deliveries.some(({ provider }) => provider.owner === 'simulator')

export const Facts = ({ verification }: { readonly verification: VerificationDetail }) => (
  <Card title="Facts">
    <dl className="text-sm">
      {isOnPhone(verification) && <PhoneFact masked={verification.masked_recipient} />}
      <Fact label="Channel">
        <Channel name={verification.channel} />
      </Fact>
      <Fact label="Completed by">{verification.completion === 'code' ? 'a code' : 'an inbound message'}</Fact>
      <Fact label="Country">
        <Country code={verification.country} />
      </Fact>
      <Fact label="Language">{languageName(verification.locale)}</Fact>
      <Fact label="Client IP">
        {verification.client_ip ? (
          <span className="font-mono text-xs">{verification.client_ip}</span>
        ) : (
          <span className="text-faint">none given</span>
        )}
      </Fact>
      <Fact label="Cost">
        <Money amount={verification.cost} />
      </Fact>
      {/* Once the verification has ended, what was left does not matter. */}
      {verification.status === 'pending' && (
        <>
          <Fact label="Attempts left">{verification.attempts_remaining}</Fact>
          <Fact label="Sends left">{verification.sends_remaining}</Fact>
        </>
      )}
      <Fact label="Started">
        <ExactTime value={verification.created_at} />
      </Fact>
      {verification.verified_at && (
        <Fact label="Approved">
          <ExactTime value={verification.verified_at} />
        </Fact>
      )}
      {verification.cancelled_at && (
        <Fact label="Cancelled">
          <ExactTime value={verification.cancelled_at} />
        </Fact>
      )}
      {(verification.status === 'pending' || verification.status === 'expired') && (
        <Fact label={verification.status === 'expired' ? 'Expired' : 'Expires'}>
          <ExactTime value={verification.expires_at} />
        </Fact>
      )}
    </dl>
  </Card>
)
