import type { ChannelName } from '@countersign/contract'
import { channelNames } from '#contract'
import { channelLabels } from '#lib/format.ts'
import { Select } from './input.tsx'

interface ChannelSelectProps {
  /** Undefined for all channels. */
  readonly value: ChannelName | undefined
  readonly onChange: (channel: ChannelName | undefined) => void
}

export function ChannelSelect({ value, onChange }: ChannelSelectProps) {
  return (
    <Select
      aria-label="Channel"
      className="w-auto"
      value={value ?? ''}
      onChange={({ target }) => onChange(channelNames.find((name) => name === target.value))}
    >
      <option value="">All channels</option>
      {channelNames.map((name) => (
        <option key={name} value={name}>
          {channelLabels[name]}
        </option>
      ))}
    </Select>
  )
}
