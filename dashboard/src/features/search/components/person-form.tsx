import Search from 'lucide-react/icons/search'
import { type FormEvent, useId, useState } from 'react'
import { Button } from '#components/ui/button.tsx'
import { CountrySelect } from '#components/ui/country-select.tsx'
import { FieldProblem } from '#components/ui/field.tsx'
import { Input } from '#components/ui/input.tsx'

export interface Wanted {
  readonly recipient: string
  /** Where a number without its calling code is dialled. */
  readonly country: string | undefined
}

interface PersonFormProps {
  readonly recipient: string
  readonly onSearch: (wanted: Wanted | null) => void
  readonly isUnreadable: boolean
}

/** A number or an address as people write it. What is typed stays out of the address of the page. */
export function PersonForm({ recipient, onSearch, isUnreadable }: PersonFormProps) {
  const [text, setText] = useState(recipient)
  const [country, setCountry] = useState<string>()
  const id = useId()
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    const wanted = text.trim()
    onSearch(wanted ? { recipient: wanted, country } : null)
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
            aria-label="A whole phone number or email address"
            aria-describedby={isUnreadable ? id : undefined}
            aria-invalid={isUnreadable || undefined}
            placeholder="+44 7400 123456, 07400 123456 or person@example.com"
            value={text}
            onChange={({ target }) => setText(target.value)}
            className="pl-8"
          />
        </div>
        <CountrySelect
          value={country}
          none="Any country"
          label="Country of a number without its calling code"
          onChange={setCountry}
          className="w-44"
        />
        <Button type="submit">Find</Button>
      </form>
      <FieldProblem
        id={id}
        text={
          isUnreadable
            ? 'This is neither an email address nor a whole phone number. A number that does not begin with its calling code needs its country.'
            : undefined
        }
      />
    </search>
  )
}
