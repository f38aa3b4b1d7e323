import type { OwnRule } from '@countersign/contract'
import ArrowDown from 'lucide-react/icons/arrow-down'
import ArrowUp from 'lucide-react/icons/arrow-up'
import Trash from 'lucide-react/icons/trash-2'
import { Button, IconButton } from '#components/ui/button.tsx'
import { Segmented } from '#components/ui/segmented.tsx'
import type { RuleDraft } from '../lib/rule-values.ts'
import { modeLabels, sayThen, sayWhen } from '../lib/rule-words.ts'

const modes: readonly (readonly [OwnRule['mode'], string])[] = [
  ['off', modeLabels.off],
  ['shadow', modeLabels.shadow],
  ['on', modeLabels.on],
]

interface RuleRowsProps {
  readonly rules: readonly RuleDraft[]
  readonly onChange: (rules: RuleDraft[]) => void
  readonly onEdit: (index: number) => void
  readonly isFixed: boolean
}

/** The rules, in the order in which they are asked. */
export function RuleRows({ rules, onChange, onEdit, isFixed }: RuleRowsProps) {
  const replace = (index: number, rule: RuleDraft) =>
    onChange(rules.map((each, place) => (place === index ? rule : each)))
  const move = (index: number, by: number) => {
    const moved = rules.filter((_rule, place) => place !== index)
    const rule = rules[index]
    if (rule) onChange([...moved.slice(0, index + by), rule, ...moved.slice(index + by)])
  }
  return (
    <ol aria-label="Rules" className="-mx-4 flex flex-col border-t">
      {rules.map((rule, index) => (
        <li
          key={rule.rule_id ?? rule.name}
          className="flex flex-wrap items-center gap-x-4 gap-y-2 border-b px-4 py-3 last:border-b-0"
        >
          <div className="min-w-0 flex-1 basis-80">
            <p className="text-sm font-medium [overflow-wrap:anywhere]">
              <span className="figures mr-2 text-faint">{index + 1}</span>
              <span>{rule.name}</span>
            </p>
            <p className="text-sm text-muted [overflow-wrap:anywhere]">
              {sayWhen(rule.when)} {sayThen(rule.then)}.
            </p>
          </div>
          <div className="flex flex-wrap items-center gap-2">
            <Segmented
              label={`Mode of ${rule.name}`}
              value={rule.mode}
              options={modes}
              disabled={isFixed}
              onChange={(mode) => replace(index, { ...rule, mode })}
            />
            {!isFixed && (
              <>
                <Button size="sm" aria-label={`Edit ${rule.name}`} onClick={() => onEdit(index)}>
                  Edit
                </Button>
                <IconButton
                  size="sm"
                  label={`Move ${rule.name} up`}
                  disabled={index === 0}
                  onClick={() => move(index, -1)}
                >
                  <ArrowUp aria-hidden="true" />
                </IconButton>
                <IconButton
                  size="sm"
                  label={`Move ${rule.name} down`}
                  disabled={index === rules.length - 1}
                  onClick={() => move(index, 1)}
                >
                  <ArrowDown aria-hidden="true" />
                </IconButton>
                <IconButton
                  size="sm"
                  label={`Remove ${rule.name}`}
                  onClick={() => onChange(rules.filter((_rule, place) => place !== index))}
                >
                  <Trash aria-hidden="true" />
                </IconButton>
              </>
            )}
          </div>
        </li>
      ))}
    </ol>
  )
}
