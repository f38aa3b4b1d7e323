import type { RuleResult } from '@countersign/contract'
import { ruleName, sayRule } from '@countersign/contract/words'
import type { LucideIcon } from 'lucide-react'
import CircleCheck from 'lucide-react/icons/circle-check'
import CircleDashed from 'lucide-react/icons/circle-dashed'
import CircleMinus from 'lucide-react/icons/circle-minus'
import CircleX from 'lucide-react/icons/circle-x'
import CornerUpRight from 'lucide-react/icons/corner-up-right'
import { cx } from '#lib/classes.ts'
import { wordsOfPages } from '#lib/decision-words.ts'
import { formatMoney, useCurrency } from '#lib/money.ts'

const outcomes: Readonly<Record<RuleResult['outcome'], readonly [LucideIcon, word: string, colour: string]>> =
  {
    pass: [CircleCheck, 'Passed', 'text-accent'],
    skip: [CircleMinus, 'Skipped', 'text-faint'],
    refuse: [CircleX, 'Refused', 'text-bad'],
    reroute: [CornerUpRight, 'Rerouted', 'text-warn'],
    shadow: [CircleDashed, 'Shadow', 'text-faint'],
  }

/** The rules that ran for one send and what each decided, in the order in which they were asked. */
export function Decision({ rules }: { readonly rules: readonly RuleResult[] }) {
  const currency = useCurrency()
  const words = wordsOfPages((amount) => formatMoney(amount, currency))
  return (
    <ol className="flex flex-col">
      {rules.map((result) => {
        const [Icon, word, colour] = outcomes[result.outcome]
        return (
          <li
            key={result.facts && 'rule_id' in result.facts ? result.facts.rule_id : result.rule}
            className="flex gap-2.5 border-b py-2 text-sm first:pt-0 last:border-b-0 last:pb-0"
          >
            <Icon className={cx('mt-0.5 size-4 shrink-0', colour)} aria-hidden="true" />
            <div className="min-w-0 flex-1">
              <p className="flex flex-wrap items-baseline justify-between gap-x-3">
                <span className="font-medium">{ruleName(result.rule)}</span>
                <span className={cx('text-xs', colour)}>{word}</span>
              </p>
              <p className="text-muted [overflow-wrap:anywhere]">{sayRule(result, words)}</p>
            </div>
          </li>
        )
      })}
    </ol>
  )
}
