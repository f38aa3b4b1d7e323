import type { RuleResult } from '@countersign/contract'
import type { LucideIcon } from 'lucide-react'
import CircleCheck from 'lucide-react/icons/circle-check'
import CircleMinus from 'lucide-react/icons/circle-minus'
import CircleX from 'lucide-react/icons/circle-x'
import CornerUpRight from 'lucide-react/icons/corner-up-right'
import { asSentence } from '#lib/api-error.ts'
import { cx } from '#lib/classes.ts'

const outcomes: Readonly<Record<RuleResult['outcome'], readonly [LucideIcon, word: string, colour: string]>> =
  {
    pass: [CircleCheck, 'Passed', 'text-accent'],
    skip: [CircleMinus, 'Skipped', 'text-faint'],
    refuse: [CircleX, 'Refused', 'text-bad'],
    reroute: [CornerUpRight, 'Rerouted', 'text-warn'],
  }

const ruleNames: Readonly<Record<string, string>> = {
  recipient: 'Recipient',
  geo: 'Country',
  ip_reputation: 'Client IP',
  routing: 'Routing',
  pumping: 'Pumping guard',
  limits: 'Limits',
  spend: 'Spend caps',
  balance: 'Price and balance',
}

/** Rules come and go with the service: one that has no name here is written as it is. */
function ruleName(rule: string): string {
  const words = rule.replace(/^limit\./, 'limit: ').replaceAll('_', ' ')
  return ruleNames[rule] ?? words.charAt(0).toUpperCase() + words.slice(1)
}

/** Which rules ran for one send, and what each said, in the order in which they were asked. */
export const Decision = ({ rules }: { readonly rules: readonly RuleResult[] }) => (
  <ol className="flex flex-col">
    {rules.map(({ rule, outcome, why }) => {
      const [Icon, word, colour] = outcomes[outcome]
      return (
        <li key={rule} className="flex gap-2.5 border-b py-2 text-sm first:pt-0 last:border-b-0 last:pb-0">
          <Icon className={cx('mt-0.5 size-4 shrink-0', colour)} aria-hidden="true" />
          <div className="min-w-0 flex-1">
            <p className="flex flex-wrap items-baseline justify-between gap-x-3">
              <span className="font-medium">{ruleName(rule)}</span>
              <span className={cx('text-xs', colour)}>{word}</span>
            </p>
            <p className="text-muted [overflow-wrap:anywhere]">{asSentence(why)}</p>
          </div>
        </li>
      )
    })}
  </ol>
)
