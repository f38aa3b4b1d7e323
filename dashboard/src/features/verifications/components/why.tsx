import type { VerificationDetail } from '@countersign/contract'
import { Card } from '#components/ui/card.tsx'
import { Decision } from '#components/ui/decision.tsx'
import { ExactTime } from '#components/ui/values.tsx'

type Recorded = VerificationDetail['decisions'][number]

/** The decision in words: every rule in the order in which it was asked. */
export const Why = ({ decisions }: { readonly decisions: readonly Recorded[] }) => (
  <Card title="Why" description="What each rule decided when it was sent.">
    <div className="flex flex-col gap-5">
      {decisions.map(({ kind, at, rules }) => (
        <section key={`${kind} ${at}`}>
          <h3 className="mb-2 flex flex-wrap justify-between gap-x-3 border-b pb-1.5 text-sm font-medium">
            {kind === 'send' ? 'Send' : 'Resend'}
            <span className="text-xs font-normal text-faint">
              <ExactTime value={at} />
            </span>
          </h3>
          <Decision rules={rules} />
        </section>
      ))}
      {decisions.length === 0 && <p className="text-sm text-muted">No decision was recorded.</p>}
    </div>
  </Card>
)
