import Search from 'lucide-react/icons/search'
import X from 'lucide-react/icons/x'
import { type FormEvent, useId, useRef, useState } from 'react'
import { Button, IconButton } from '#components/ui/button.tsx'
import { CountrySelect } from '#components/ui/country-select.tsx'
import { FieldProblem } from '#components/ui/field.tsx'
import { Input } from '#components/ui/input.tsx'
import { unreadable, type Wanted } from './wanted.ts'

interface RecipientFormProps {
  readonly label: string
  readonly placeholder: string
  readonly wanted: Wanted | null
  readonly onSearch: (wanted: Wanted | null) => void
  /** Whether the service could not read it as a number or an address. */
  readonly isUnreadable: boolean
}

/** A number or an email address as people write it. What is typed stays out of the page's address. */
export function RecipientForm({ label, placeholder, wanted, onSearch, isUnreadable }: RecipientFormProps) {
  const [text, setText] = useState(wanted?.recipient ?? '')
  const [country, setCountry] = useState(wanted?.country)
  const [shown, setShown] = useState(wanted)
  const field = useRef<HTMLInputElement>(null)
  const id = useId()
  // The search was changed from outside, by the palette or by going back. The field keeps the focus.
  if (shown?.recipient !== wanted?.recipient || shown?.country !== wanted?.country) {
    setShown(wanted)
    setText(wanted?.recipient ?? '')
    // When the search is cleared, the country stays, since the next person is mostly from the same one.
    if (wanted) setCountry(wanted.country)
  }
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    const recipient = text.trim()
    onSearch(recipient ? { recipient, country } : null)
  }
  const clear = () => {
    setText('')
    onSearch(null)
    field.current?.focus()
  }
  return (
    <search>
      <form onSubmit={onSubmit} className="flex max-w-2xl flex-wrap gap-2">
        <div className="relative min-w-full flex-1 sm:min-w-56">
          <Search
            className="pointer-events-none absolute top-1/2 left-2.5 size-3.5 -translate-y-1/2 text-faint"
            aria-hidden="true"
          />
          <Input
            ref={field}
            aria-label={label}
            aria-describedby={isUnreadable ? id : undefined}
            aria-invalid={isUnreadable || undefined}
            placeholder={placeholder}
            value={text}
            onChange={({ target }) => setText(target.value)}
            className="pr-7 pl-8"
          />
          {(text || wanted) && (
            <IconButton
              label="Clear the search"
              size="sm"
              onClick={clear}
              className="absolute top-1/2 right-0.5 -translate-y-1/2"
            >
              <X aria-hidden="true" />
            </IconButton>
          )}
        </div>
        <CountrySelect
          value={country}
          none="Country of the number"
          label="Country, if the number has no country code"
          onChange={setCountry}
          className="w-60 max-sm:min-w-0 max-sm:flex-1"
        />
        <Button type="submit">Find</Button>
      </form>
      <FieldProblem id={id} text={isUnreadable ? unreadable : undefined} />
    </search>
  )
}
