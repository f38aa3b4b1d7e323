import type { VerificationAnswer } from '@countersign/contract'
import { useParams } from '@tanstack/react-router'
import { useState } from 'react'
import type { Wanted } from '#components/recipient/wanted.ts'
import { Page } from '#components/ui/page.tsx'
import { useApp } from '#lib/app.ts'
import { useMe } from '#lib/session.ts'
import { useArrivals, useHasKey } from './api/arrivals.ts'
import { useReading } from './api/read-recipient.ts'
import { Arrivals } from './components/arrivals.tsx'
import { KeyStep } from './components/key-step.tsx'
import { SendStep } from './components/send-step.tsx'
import { Step } from './components/step.tsx'
import { VerifyStep } from './components/verify-step.tsx'
import { recipientInPrograms } from './lib/snippets.ts'

const example: Wanted = { recipient: '+447400123456', country: undefined }
const nobody: Wanted = { recipient: '', country: undefined }

export function StartPage() {
  const { appId } = useParams({ from: '/shell/a/$appId/start' })
  const app = useApp(appId)
  const [key, setKey] = useState<string | null>(null)
  const [typed, setTyped] = useState<Wanted | null>(null)
  const reading = useReading(appId, typed ?? example)
  // The example may be the number of a real person.
  const isFilled = typed !== null || reading.carrier === 'simulator'
  const wanted = isFilled ? (typed ?? example) : nobody
  const recipient = isFilled ? reading.recipient : null
  const { phones_url: phones } = useMe().installation
  const carrier = phones === null ? 'real' : isFilled ? reading.carrier : 'unknown'
  const [sent, setSent] = useState<VerificationAnswer | null>(null)
  const [language, setLanguage] = useState('curl')
  const hasKey = useHasKey(appId)
  const arrivals = useArrivals(appId)
  const newest = arrivals.data?.verifications ?? []
  const shared = { secret: key, language, onLanguage: setLanguage }
  return (
    <Page
      title="Getting started"
      description={`From zero to the first verified phone number of ${app.name}.`}
    >
      <ol className="flex flex-col gap-8">
        <Step number={1} title="A key" isDone={key !== null || hasKey}>
          <KeyStep appId={appId} secret={key} onKey={setKey} />
        </Step>
        <Step number={2} title="Send a code" isDone={newest.length > 0}>
          <SendStep
            {...shared}
            appId={appId}
            wanted={wanted}
            onWanted={setTyped}
            carrier={carrier}
            recipient={recipientInPrograms(recipient)}
            sent={sent}
            onSent={setSent}
          />
        </Step>
        <Step number={3} title="See it arrive" isDone={newest.some(hasArrived)}>
          <Arrivals appId={appId} query={arrivals} recipient={recipient} carrier={carrier} />
        </Step>
        <Step number={4} title="Check the code" isDone={newest.some(({ status }) => status === 'approved')}>
          <VerifyStep {...shared} otpId={sent?.otp_id ?? newest[0]?.otp_id ?? null} />
        </Step>
      </ol>
    </Page>
  )
}

type Arrival = NonNullable<ReturnType<typeof useArrivals>['data']>['verifications'][number]

const hasArrived = ({ status, delivery_status }: Arrival) =>
  status === 'approved' || delivery_status === 'delivered'
