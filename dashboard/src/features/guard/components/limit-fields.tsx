import Plus from 'lucide-react/icons/plus'
import X from 'lucide-react/icons/x'
import { useId } from 'react'
import { useFieldArray } from 'react-hook-form'
import { Button, IconButton } from '#components/ui/button.tsx'
import { FieldProblem } from '#components/ui/field.tsx'
import { NumberInput, Select } from '#components/ui/input.tsx'
import { defaultSettings, limitBounds } from '#contract'
import { sayProblem } from '#lib/form/problems.ts'
import { useField } from '#lib/form/use-field.ts'
import { useFocusOnAdded } from '#lib/form/use-focus-on-added.ts'
import type { Form } from '#lib/form/use-form.ts'
import {
  isSameLimit,
  type LimitValues,
  type LimitWords,
  newRow,
  rowInWords,
  rowsOf,
  type Unit,
} from '../lib/limit-rows.ts'

interface LimitFieldsProps {
  readonly form: Form<LimitValues>
  readonly words: LimitWords
  readonly isFixed: boolean
}

export function LimitFields({ form, words, isFixed }: LimitFieldsProps) {
  const { fields, append, remove, replace } = useFieldArray({
    control: form.control,
    name: `limits.${words.name}`,
  })
  const { list, focusNext } = useFocusOnAdded<HTMLDivElement>(fields.length)
  const standard = rowsOf(defaultSettings.limits[words.name])
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
        <div ref={list} className="flex flex-col gap-2 empty:hidden">
          {fields.map(({ id }, index) => (
            <WindowRow
              key={id}
              form={form}
              words={words}
              index={index}
              onRemove={fields.length > 1 && !isFixed ? () => remove(index) : null}
            />
          ))}
        </div>
        {!isFixed && (
          <div className="flex flex-wrap gap-2">
            {fields.length < limitBounds[words.name].mostWindows && (
              <Button
                size="sm"
                variant="ghost"
                aria-label={`Add a window to: ${words.label}`}
                className="-ml-2.5"
                onClick={() => {
                  focusNext()
                  append(newRow())
                }}
              >
                <Plus aria-hidden="true" />
                Add a window
              </Button>
            )}
            {!isSameLimit(form.values.limits[words.name], standard) && (
              <Button
                size="sm"
                variant="ghost"
                aria-label={`Reset to the default: ${words.label}`}
                onClick={() => replace(standard)}
              >
                Reset to the default
              </Button>
            )}
          </div>
        )}
      </div>
    </fieldset>
  )
}

interface WindowRowProps {
  readonly form: Form<LimitValues>
  readonly words: LimitWords
  readonly index: number
  readonly onRemove: (() => void) | null
}

const unitLabels: readonly (readonly [Unit, string])[] = [
  ['s', 'seconds'],
  ['min', 'minutes'],
  ['h', 'hours'],
]

function WindowRow({ form, words, index, onRemove }: WindowRowProps) {
  const id = useId()
  const label = `${words.label}, window ${index + 1}`
  const max = useField(form, `limits.${words.name}.${index}.max`)
  const time = useField(form, `limits.${words.name}.${index}.window_s`)
  const problem =
    (max.problem && sayProblem('The number', max.problem)) ??
    (time.problem && sayProblem('The time', time.problem))
  return (
    <div className="flex flex-col gap-1">
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <NumberInput
          aria-label={`${label}: at most`}
          aria-invalid={max.problem ? true : undefined}
          aria-describedby={max.problem && id}
          value={max.value}
          onValue={max.set}
          className="w-24"
        />
        <span className="text-sm text-muted">in</span>
        <NumberInput
          aria-label={`${label}: time`}
          aria-invalid={time.problem ? true : undefined}
          aria-describedby={time.problem && id}
          value={time.value.count}
          onValue={(count) => time.set({ ...time.value, count })}
          className="w-16"
        />
        <Select
          aria-label={`${label}: unit of time`}
          className="w-auto"
          value={time.value.unit}
          onChange={({ target }) => {
            const [unit] = unitLabels.find(([one]) => one === target.value) ?? []
            if (unit) time.set({ ...time.value, unit })
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
          {problem ? '' : rowInWords({ max: max.value, window_s: time.value }, words)}
        </span>
      </div>
      <FieldProblem id={id} text={problem} />
    </div>
  )
}
