import Plus from 'lucide-react/icons/plus'
import X from 'lucide-react/icons/x'
import { Button, IconButton } from '#components/ui/button.tsx'
import { FieldProblem } from '#components/ui/field.tsx'
import { NumberInput, Select } from '#components/ui/input.tsx'
import { defaultSettings, limitBounds } from '#contract'
import {
  isSame,
  type LimitRow,
  type LimitWords,
  newRow,
  rowInWords,
  rowProblem,
  rowsOf,
  type Unit,
} from '../limit-rows.ts'

interface LimitFieldsProps {
  readonly words: LimitWords
  readonly rows: readonly LimitRow[]
  readonly onChange: (rows: readonly LimitRow[]) => void
  readonly problem: string | undefined
  readonly isFixed: boolean
}

export function LimitFields({ words, rows, onChange, problem, isFixed }: LimitFieldsProps) {
  const standard = rowsOf(defaultSettings.limits[words.name])
  const wrong = rows.filter((row) => rowProblem(row, words))
  const replace = (changed: LimitRow) => onChange(rows.map((row) => (row.id === changed.id ? changed : row)))
  return (
    <fieldset className="grid gap-x-6 gap-y-2 border-b px-4 py-3 last:border-b-0 md:grid-cols-[16rem_minmax(0,1fr)]">
      <legend className="sr-only">{words.label}</legend>
      <div>
        <p aria-hidden="true" className="text-sm font-medium">
          {words.label}
        </p>
        <p className="text-xs text-muted">{words.hint}</p>
      </div>
      <div className="flex min-w-0 flex-col gap-2">
        {rows.map((row, index) => (
          <WindowRow
            key={row.id}
            row={row}
            label={`${words.label}, window ${index + 1}`}
            words={words}
            isMarked={problem !== undefined && (wrong.length === 0 || wrong.includes(row))}
            onChange={replace}
            onRemove={
              rows.length > 1 && !isFixed ? () => onChange(rows.filter(({ id }) => id !== row.id)) : null
            }
          />
        ))}
        <FieldProblem text={problem} />
        {!isFixed && (
          <div className="flex flex-wrap gap-2">
            {rows.length < limitBounds[words.name].mostWindows && (
              <Button
                size="sm"
                variant="ghost"
                aria-label={`Add a window to: ${words.label}`}
                className="-ml-2.5"
                onClick={() => onChange([...rows, newRow()])}
              >
                <Plus aria-hidden="true" />
                Add a window
              </Button>
            )}
            {!isSame(rows, standard) && (
              <Button
                size="sm"
                variant="ghost"
                aria-label={`Back to the default: ${words.label}`}
                onClick={() => onChange(standard)}
              >
                Back to the default
              </Button>
            )}
          </div>
        )}
      </div>
    </fieldset>
  )
}

interface WindowRowProps {
  readonly row: LimitRow
  readonly label: string
  readonly words: LimitWords
  /** The whole limit was refused, and this row is part of why. */
  readonly isMarked: boolean
  readonly onChange: (row: LimitRow) => void
  readonly onRemove: (() => void) | null
}

const unitLabels: readonly (readonly [Unit, string])[] = [
  ['s', 'seconds'],
  ['min', 'minutes'],
  ['h', 'hours'],
]

function WindowRow({ row, label, words, isMarked, onChange, onRemove }: WindowRowProps) {
  const problem = rowProblem(row, words)
  const isWrong = row.max !== '' && row.count !== '' && problem !== undefined
  return (
    <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
      <NumberInput
        aria-label={`${label}: at most`}
        aria-invalid={isWrong || isMarked || undefined}
        value={row.max}
        onValue={(max) => onChange({ ...row, max })}
        className="w-24"
      />
      <span className="text-sm text-muted">in</span>
      <NumberInput
        aria-label={`${label}: time`}
        aria-invalid={isWrong || isMarked || undefined}
        value={row.count}
        onValue={(count) => onChange({ ...row, count })}
        className="w-16"
      />
      <Select
        aria-label={`${label}: unit of time`}
        className="!w-auto"
        value={row.unit}
        onChange={({ target }) => {
          const [unit] = unitLabels.find(([one]) => one === target.value) ?? []
          if (unit) onChange({ ...row, unit })
        }}
      >
        {unitLabels.map(([unit, text]) => (
          <option key={unit} value={unit}>
            {text}
          </option>
        ))}
      </Select>
      {onRemove && (
        <IconButton size="sm" label={`Remove: ${label}`} onClick={onRemove}>
          <X aria-hidden="true" />
        </IconButton>
      )}
      <span className="text-xs text-muted max-sm:w-full">
        {problem === undefined ? rowInWords(row, words) : isWrong ? `${problem}.` : ''}
      </span>
    </div>
  )
}
