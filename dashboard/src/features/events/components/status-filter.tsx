import type { ListedEventStatus } from '@countersign/contract'
import { eventStatusLabels } from '#components/ui/event-state.tsx'
import { Select } from '#components/ui/input.tsx'
import { eventStatuses } from '#contract'

interface StatusFilterProps {
  readonly value: ListedEventStatus | undefined
  readonly onChange: (status: ListedEventStatus | undefined) => void
}

/** The service finds held events among those that wait. */
const offered = eventStatuses.filter((status) => status !== 'held')

export const StatusFilter = ({ value, onChange }: StatusFilterProps) => (
  <Select
    aria-label="Status"
    className="w-auto"
    value={value === 'held' ? 'waiting' : (value ?? '')}
    onChange={({ target }) => onChange(offered.find((status) => status === target.value))}
  >
    <option value="">All statuses</option>
    {offered.map((status) => (
      <option key={status} value={status}>
        {status === 'waiting' ? 'Waiting or held' : eventStatusLabels[status][0]}
      </option>
    ))}
  </Select>
)
