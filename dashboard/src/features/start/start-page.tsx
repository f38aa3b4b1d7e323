import { useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { Page } from '#components/ui/page.tsx'
import { useApp } from '#lib/app.ts'
import { Arrivals } from './components/arrivals.tsx'
import { KeyStep } from './components/key-step.tsx'
import { SendStep } from './components/send-step.tsx'
import { Step } from './components/step.tsx'
import { VerifyStep } from './components/verify-step.tsx'

export function StartPage() {
  const { appId } = useParams({ from: '/shell/a/$appId/start' })
  const app = useApp(appId)
  const [key, setKey] = useState<string | null>(null)
  return (
    <Page
      title="Getting started"
      description={`From zero to the first verified phone number of ${app.name}.`}
    >
      <ol className="flex flex-col gap-8">
        <Step number={1} title="A key">
          <KeyStep appId={appId} secret={key} onKey={setKey} />
        </Step>
        <Step number={2} title="Send a code">
          <SendStep secret={key} />
        </Step>
        <Step number={3} title="See it arrive">
          <Arrivals appId={appId} />
        </Step>
        <Step number={4} title="Check the code">
          <VerifyStep secret={key} />
        </Step>
      </ol>
    </Page>
  )
}
