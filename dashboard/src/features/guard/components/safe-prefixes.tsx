import type { AppSettings } from '@countersign/contract'
import { appSettings } from '@countersign/contract/bodies'
import { type KeyboardEvent, useState } from 'react'
import { Button } from '#components/ui/button.tsx'
import { Chips } from '#components/ui/chips.tsx'
import { Field } from '#components/ui/field.tsx'
import { Input } from '#components/ui/input.tsx'
import { against } from '#lib/form/problems.ts'
import { inAscii } from '#lib/form/typed-number.ts'
import { useField } from '#lib/form/use-field.ts'
import type { Form } from '#lib/form/use-form.ts'
import { settingLabels } from '#lib/setting-labels.ts'

/** The values of the card's form: a share in percent, an amount as it is typed. */
type PumpingValues = Omit<AppSettings['pumping'], 'learning_budget'> & {
  readonly learning_budget: string
}

interface SafePrefixesProps {
  readonly form: Form<{ pumping: PumpingValues }>
  readonly isFixed: boolean
}

/** Cleans numbers as people write them: spaces and brackets are removed, `00` becomes `+`. */
const cleaned = (text: string) =>
  inAscii(text)
    .split(/[,;\n]+/)
    .map((part) => part.replace(/[\s().-]/g, '').replace(/^00/, '+'))
    .filter((part) => part !== '')

const prefixProblems = against(appSettings.shape.pumping.unwrap().shape.safe_prefixes)

/** The contract reports a prefix that is wrong, or the list as a whole. */
function problemOf(prefixes: readonly string[]): string | undefined {
  const [problem] = prefixProblems(prefixes)
  if (!problem) return undefined
  const wrong = problem.path === '' ? undefined : prefixes[Number(problem.path)]
  return `${wrong ?? 'The list'} ${problem.message}.`
}

export function SafePrefixes({ form, isFixed }: SafePrefixesProps) {
  const { value, set: onChange, problem } = useField(form, 'pumping.safe_prefixes')
  const [text, setText] = useState('')
  const [wrong, setWrong] = useState<string>()
  const add = () => {
    const prefixes = [...new Set([...value, ...cleaned(text)])]
    const found = problemOf(prefixes)
    setWrong(found)
    if (found || prefixes.length === value.length) return
    onChange(prefixes)
    setText('')
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter') return
    // Enter adds the prefix; the form is saved by its button.
    event.preventDefault()
    add()
  }
  return (
    <div className="flex flex-col gap-2">
      <Field
        label={settingLabels['pumping.safe_prefixes']}
        hint="Numbers that start like this are never held back and never counted. For test numbers and ranges that you know."
        problem={wrong ?? problem}
      >
        {(control) => (
          <span className="flex max-w-md gap-2">
            <Input
              {...control}
              inputMode="tel"
              className="font-mono"
              placeholder="+4474001234"
              value={text}
              onKeyDown={onKeyDown}
              onChange={(event) => {
                setText(event.target.value)
                setWrong(undefined)
              }}
            />
            <Button onClick={add} aria-label="Add the prefix">
              Add
            </Button>
          </span>
        )}
      </Field>
      <Chips
        label={settingLabels['pumping.safe_prefixes']}
        isFixed={isFixed}
        onRemove={(removed) => onChange(value.filter((one) => one !== removed))}
        chips={value.map((one) => ({
          value: one,
          name: one,
          content: <span className="font-mono text-xs">{one}</span>,
        }))}
      />
    </div>
  )
}
