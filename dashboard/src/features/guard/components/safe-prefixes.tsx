import { type KeyboardEvent, useState } from 'react'
import { Button } from '#components/ui/button.tsx'
import { Chips } from '#components/ui/chips.tsx'
import { Field } from '#components/ui/field.tsx'
import { Input } from '#components/ui/input.tsx'
import { mostSafePrefixes, textRules } from '#contract'
import { fitsRule } from '#lib/text-rule.ts'

interface SafePrefixesProps {
  readonly value: readonly string[]
  readonly onChange: (prefixes: readonly string[]) => void
  readonly problem: string | undefined
  readonly isFixed: boolean
}

/** As people write numbers: spaces, brackets, `00`. */
const cleaned = (text: string) =>
  text
    .split(/[,;\n]+/)
    .map((part) => part.replace(/[\s().-]/g, '').replace(/^00/, '+'))
    .filter((part) => part !== '')

function problemOf(parts: readonly string[], present: readonly string[]): string | undefined {
  const wrong = parts.find((part) => !fitsRule(part, textRules.safe_prefix))
  if (wrong) return `${wrong} is no prefix: write + and 2 to 14 digits, such as +4474001234.`
  return parts.length + present.length > mostSafePrefixes
    ? `There may be at most ${mostSafePrefixes}.`
    : undefined
}

export function SafePrefixes({ value, onChange, problem, isFixed }: SafePrefixesProps) {
  const [text, setText] = useState('')
  const [wrong, setWrong] = useState<string>()
  const add = () => {
    const parts = cleaned(text)
    const found = problemOf(parts, value)
    setWrong(found)
    if (found || parts.length === 0) return
    onChange([...new Set([...value, ...parts])])
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
        label="Safe prefixes"
        hint="Numbers that start so are never held back and never counted. For test numbers and blocks that you know."
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
        label="Safe prefixes"
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
