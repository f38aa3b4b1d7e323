import type { RuleResult, VerificationDetail } from '@countersign/contract'
import { Status } from '#components/ui/badge.tsx'
import { Card } from '#components/ui/card.tsx'
import { ExactTime } from '#components/ui/values.tsx'
import type { Tone } from '#lib/format.ts'

type Decision = VerificationDetail['decisions'][number]

const outcomes: Readonly<Record<RuleResult['outcome'], readonly [label: string, tone: Tone]>> = {
  pass: ['Passed', 'good'],
  refuse: ['Refused', 'bad'],
  reroute: ['Rerouted', 'warn'],
  skip: ['Not asked', 'quiet'],
}

const ruleNames: Readonly<Record<string, string>> = {
  recipient: 'Recipient',
  geo: 'Country',
  ip_reputation: 'Client IP',
  routing: 'Routing',
  pumping: 'Pumping',
  limits: 'Limits',
  balance: 'Price and balance',
  cooldown: 'Cooldown',
  sends: 'Send attempts',
  channel: 'Channel',
}

const ruleName = (rule: string) => ruleNames[rule] ?? rule.replaceAll('_', ' ')

/** The decision in words: every rule in the order in which it was asked. */
export const Why = ({ decisions }: { readonly decisions: readonly Decision[] }) => (
  <Card title="Why" description="What each rule said when it was sent.">
    <div className="flex flex-col gap-4">
      {decisions.map((decision) => (
        <section key={`${decision.kind} ${decision.at}`}>
          <h3 className="mb-1.5 flex flex-wrap justify-between gap-x-3 text-sm font-medium">
            {decision.kind === 'send' ? 'Send' : 'Resend'}
            <span className="text-xs font-normal text-faint">
              <ExactTime value={decision.at} />
            </span>
          </h3>
          <ol className="border-t">
            {decision.rules.map((rule) => (
              <Rule key={rule.rule} rule={rule} />
            ))}
          </ol>
        </section>
      ))}
      {decisions.length === 0 && <p className="text-sm text-muted">No decision is kept for it.</p>}
    </div>
  </Card>
)

function Rule({ rule }: { readonly rule: RuleResult }) {
  const [label, tone] = outcomes[rule.outcome]
  return (
    <li className="grid grid-cols-[7rem_minmax(0,1fr)] gap-x-3 gap-y-0.5 border-b py-1.5 text-sm sm:grid-cols-[9rem_6.5rem_minmax(0,1fr)]">
      <span>{ruleName(rule.rule)}</span>
      <span className="text-muted">
        <Status tone={tone}>{label}</Status>
      </span>
      <span className="max-sm:col-span-2 text-muted">{rule.why}</span>
    </li>
  )
}
