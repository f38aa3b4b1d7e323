import type { AppAnswer } from '@countersign/contract'
import { Card } from '#components/ui/card.tsx'
import { CopyField } from '#components/ui/copy.tsx'

/** What a program that calls Twilio Verify needs to call this service instead. */
export const TwilioCard = ({ app }: { readonly app: AppAnswer }) => (
  <Card
    title="Twilio Verify"
    description="A program that uses a client of Twilio Verify can call this app with these SIDs, a server key as the auth token, and /twilio after the address of this service."
  >
    <div className="grid max-w-2xl gap-4 sm:grid-cols-2">
      <CopyField label="Service SID" text={app.twilio_service_sid} />
      <CopyField label="Account SID" text={app.twilio_account_sid} />
    </div>
  </Card>
)
