import { Button } from '#components/ui/button.tsx'
import { eventStatusLabels } from '#components/ui/event-state.tsx'
import { Select } from '#components/ui/input.tsx'
import { answerKinds, eventStatuses, eventTypes } from '#contract'
import type { EndpointsNow } from '../api/use-endpoints.ts'
import { type EventsFilter, isFiltered } from '../search.ts'

interface FiltersProps {
  readonly filter: EventsFilter
  readonly endpoints: EndpointsNow['all']
  readonly onChange: (change: EventsFilter) => void
}

const none: EventsFilter = {
  type: undefined,
  status: undefined,
  endpoint: undefined,
  attempts: undefined,
  answer: undefined,
}

type Option = readonly [value: string, label: string]

const types = eventTypes.map((type): Option => [type, type])
const states = eventStatuses.map((status): Option => [status, eventStatusLabels[status][0]])
const attempts: readonly Option[] = [
  ['1', '1 or more tries'],
  ['2', '2 or more tries'],
  ['5', '5 or more tries'],
]
const answers = answerKinds.map((kind): Option => [kind, kind === 'none' ? 'No answer' : `Answered ${kind}`])

export const Filters = ({ filter, endpoints, onChange }: FiltersProps) => (
  <fieldset className="grid grid-cols-2 items-center gap-2 px-4 pb-3 sm:flex sm:flex-wrap">
    <legend className="sr-only">Filters</legend>
    <Filter
      label="Type"
      any="Any type"
      options={types}
      value={filter.type}
      onChange={(value) => onChange({ type: eventTypes.find((type) => type === value) })}
      className="max-sm:col-span-2 sm:w-auto"
    />
    <Filter
      label="Status"
      any="Any status"
      options={states}
      value={filter.status}
      onChange={(value) => onChange({ status: eventStatuses.find((status) => status === value) })}
    />
    <Filter
      label="Attempts"
      any="Any attempts"
      options={attempts}
      value={filter.attempts?.toString()}
      onChange={(value) => onChange({ attempts: value ? Number(value) : undefined })}
    />
    <Filter
      label="Answer"
      any="Any answer"
      options={answers}
      value={filter.answer}
      onChange={(value) => onChange({ answer: answerKinds.find((kind) => kind === value) })}
    />
    {(endpoints.length > 1 || filter.endpoint) && (
      <Filter
        label="Endpoint"
        any="Any endpoint"
        options={optionsOf(endpoints, filter.endpoint)}
        value={filter.endpoint}
        onChange={(endpoint) => onChange({ endpoint })}
        className="max-sm:col-span-2 sm:max-w-56"
      />
    )}
    {isFiltered(filter) && (
      <Button variant="ghost" className="max-sm:justify-self-start" onClick={() => onChange(none)}>
        Clear filters
      </Button>
    )}
  </fieldset>
)

/** The filter may name an endpoint that has been removed since. */
function optionsOf(endpoints: EndpointsNow['all'], wanted: string | undefined): readonly Option[] {
  const known = endpoints.map(
    ({ endpoint_id, url }): Option => [endpoint_id, url.replace(/^https?:\/\//, '')],
  )
  const isKnown = wanted === undefined || endpoints.some(({ endpoint_id }) => endpoint_id === wanted)
  return isKnown ? known : [...known, [wanted, 'A removed endpoint']]
}

interface FilterProps {
  readonly label: string
  readonly any: string
  readonly options: readonly Option[]
  readonly value: string | undefined
  readonly onChange: (value: string | undefined) => void
  readonly className?: string
}

const Filter = ({ label, any, options, value, onChange, className = 'sm:w-auto' }: FilterProps) => (
  <Select
    aria-label={label}
    className={className}
    value={value ?? ''}
    onChange={({ target }) => onChange(target.value || undefined)}
  >
    <option value="">{any}</option>
    {options.map(([option, text]) => (
      <option key={option} value={option}>
        {text}
      </option>
    ))}
  </Select>
)
