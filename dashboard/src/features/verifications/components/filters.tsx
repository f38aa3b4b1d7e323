import { refusingRules, ruleName } from '@countersign/contract/words'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { Button } from '#components/ui/button.tsx'
import { CountrySelect } from '#components/ui/country-select.tsx'
import { Input, Select } from '#components/ui/input.tsx'
import { channelNames, otpStatuses } from '#contract'
import { channelLabels, otpStatusLabels } from '#lib/format.ts'
import { isBackwards, isDay, messageProblems, type VerificationsSearch } from '../search.ts'

const none: VerificationsSearch = {
  rule: undefined,
  status: undefined,
  channel: undefined,
  country: undefined,
  problem: undefined,
  from: undefined,
  to: undefined,
}

export const isFiltered = (search: VerificationsSearch): boolean =>
  [search.rule, search.status, search.channel, search.country, search.problem, search.from, search.to].some(
    (value) => value !== undefined,
  )

export function Filters({ search }: { readonly search: VerificationsSearch }) {
  const navigate = useNavigate({ from: '/a/$appId/verifications' })
  const set = (change: VerificationsSearch) =>
    void navigate({ to: '.', search: (current) => ({ ...current, ...change }), state: true, replace: true })
  return (
    <fieldset className="grid grid-cols-2 items-center gap-2 sm:flex sm:flex-wrap">
      <legend className="sr-only">Filters</legend>
      {search.view === 'refused' ? (
        <RuleSelect value={search.rule} onChange={(rule) => set({ rule })} />
      ) : (
        <StatusAndChannel search={search} onChange={set} />
      )}
      <CountrySelect
        value={search.country}
        none="Any country"
        onChange={(country) => set({ country })}
        className="max-sm:col-span-2 sm:w-40"
      />
      <DayInput label="From" value={search.from} onChange={(from) => set({ from })} />
      <DayInput label="To" value={search.to} onChange={(to) => set({ to })} />
      {isFiltered(search) && (
        <Button variant="ghost" className="max-sm:-ml-3 max-sm:justify-self-start" onClick={() => set(none)}>
          Clear filters
        </Button>
      )}
      {isBackwards(search) && (
        <p role="alert" className="text-sm text-bad max-sm:col-span-2">
          “From” is after “To”, so neither is applied.
        </p>
      )}
    </fieldset>
  )
}

interface StatusAndChannelProps {
  readonly search: VerificationsSearch
  readonly onChange: (change: VerificationsSearch) => void
}

const StatusAndChannel = ({ search, onChange }: StatusAndChannelProps) => (
  <>
    <Select
      aria-label="Status"
      className="sm:w-auto"
      value={search.status ?? ''}
      onChange={({ target }) => onChange({ status: otpStatuses.find((status) => status === target.value) })}
    >
      <option value="">Any status</option>
      {otpStatuses.map((status) => (
        <option key={status} value={status}>
          {otpStatusLabels[status][0]}
        </option>
      ))}
    </Select>
    <Select
      aria-label="Channel"
      className="sm:w-auto"
      value={search.channel ?? ''}
      onChange={({ target }) => onChange({ channel: channelNames.find((name) => name === target.value) })}
    >
      <option value="">Any channel</option>
      {channelNames.map((name) => (
        <option key={name} value={name}>
          {channelLabels[name]}
        </option>
      ))}
    </Select>
    <Select
      aria-label="Messages"
      className="max-sm:col-span-2 sm:w-auto"
      value={search.problem ?? ''}
      onChange={({ target }) =>
        onChange({ problem: messageProblems.find((problem) => problem === target.value) })
      }
    >
      <option value="">Any message</option>
      <option value="failed_delivery">Failed delivery</option>
      <option value="error">With an error</option>
    </Select>
  </>
)

interface RuleSelectProps {
  readonly value: string | undefined
  readonly onChange: (rule: string | undefined) => void
}

const RuleSelect = ({ value, onChange }: RuleSelectProps) => (
  <Select
    aria-label="Rule"
    className="max-sm:col-span-2 sm:w-auto"
    value={value ?? ''}
    onChange={({ target }) => onChange(target.value || undefined)}
  >
    <option value="">Any rule</option>
    {refusingRules.map((rule) => (
      <option key={rule} value={rule}>
        {ruleName(rule)}
      </option>
    ))}
  </Select>
)

interface DayInputProps {
  readonly label: string
  readonly value: string | undefined
  readonly onChange: (day: string | undefined) => void
}

/** A day counts once its whole year is typed; an unfinished one is dropped when the field loses the focus. */
function DayInput({ label, value = '', onChange }: DayInputProps) {
  const [text, setText] = useState(value)
  const [shown, setShown] = useState(value)
  if (shown !== value) {
    setShown(value)
    setText(value)
  }
  const type = (typed: string) => {
    setText(typed)
    if (typed === '') onChange(undefined)
    if (isDay(typed)) onChange(typed)
  }
  return (
    <label className="flex min-w-0 items-center gap-1.5 text-sm text-muted max-sm:flex-col max-sm:items-start max-sm:gap-1">
      {label}
      <Input
        type="date"
        className="min-w-0 sm:w-auto"
        value={text}
        onChange={({ target }) => type(target.value)}
        onBlur={() => setText(value)}
      />
    </label>
  )
}
