import { type FormEvent, useState } from 'react'
import { Button } from '#components/ui/button.tsx'
import { Input, Select } from '#components/ui/input.tsx'
import { languageName } from '#lib/format.ts'

interface LocaleSelectProps {
  readonly shipped: readonly string[]
  readonly own: readonly string[]
  readonly standard: string
  readonly value: string
  readonly onChange: (locale: string) => void
}

const other = 'other'
const byName = (one: string, another: string) => languageName(one).localeCompare(languageName(another), 'en')

export function LocaleSelect({ shipped, own, standard, value, onChange }: LocaleSelectProps) {
  const [isOther, setOther] = useState(false)
  const rest = [...new Set([...shipped, value])].filter((tag) => !own.includes(tag)).sort(byName)
  const option = (tag: string) => (
    <option key={tag} value={tag}>
      {languageName(tag)} · {tag}
      {tag === standard ? ' · default' : ''}
    </option>
  )
  return (
    <>
      <Select
        aria-label="Language"
        className="w-auto max-w-60"
        value={isOther ? other : value}
        onChange={({ target }) => {
          setOther(target.value === other)
          if (target.value !== other) onChange(target.value)
        }}
      >
        {own.length > 0 && <optgroup label="Your own texts">{[...own].sort(byName).map(option)}</optgroup>}
        <optgroup label="Built-in texts">{rest.map(option)}</optgroup>
        <option value={other}>Another language…</option>
      </Select>
      {isOther && (
        <OtherLanguage
          onChosen={(tag) => {
            setOther(false)
            onChange(tag)
          }}
        />
      )}
    </>
  )
}

/** The canonical form of a tag: people type `pt_br` for `pt-BR`. */
function canonicalTag(text: string): string | null {
  try {
    return new Intl.Locale(text.trim().replaceAll('_', '-')).toString()
  } catch {
    return null
  }
}

function OtherLanguage({ onChosen }: { readonly onChosen: (tag: string) => void }) {
  const [text, setText] = useState('')
  const tag = canonicalTag(text)
  const choose = (event: FormEvent) => {
    event.preventDefault()
    if (tag) onChosen(tag)
  }
  return (
    <form onSubmit={choose} className="flex items-center gap-2">
      <Input
        aria-label="Language tag"
        autoFocus
        className="w-28"
        placeholder="en-GB"
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <Button type="submit" disabled={!tag}>
        Open
      </Button>
    </form>
  )
}
