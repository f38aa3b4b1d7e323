import Plus from 'lucide-react/icons/plus'
import { useFieldArray } from 'react-hook-form'
import { SelectField, SwitchField, TextField } from '#components/form/fields.tsx'
import { Button } from '#components/ui/button.tsx'
import { useFocusOnAdded } from '#lib/form/use-focus-on-added.ts'
import type { Form } from '#lib/form/use-form.ts'
import { browserZone, timeZones } from '#lib/time-zone.ts'
import { type AlertValues, newChannel } from '../lib/values.ts'

interface FieldsProps {
  readonly form: Form<AlertValues>
}

const addresses = {
  email: ['Email address', 'ops@example.com'],
  webhook: ['Address', 'https://example.com/alerts'],
  slack: ['Slack webhook URL', 'https://hooks.slack.com/services/…'],
} as const

export function ChannelFields({ form }: FieldsProps) {
  const { fields, append, remove } = useFieldArray({ control: form.control, name: 'channels' })
  const { list, focusNext } = useFocusOnAdded<HTMLDivElement>(fields.length)
  const add = () => {
    focusNext()
    append(newChannel(browserZone))
  }
  return (
    <div className="flex flex-col gap-4">
      {fields.length === 0 && <p className="text-sm text-muted">Nobody gets alerts yet.</p>}
      <div ref={list} className="flex flex-col gap-4 empty:hidden">
        {fields.map(({ id }, index) => (
          <Channel key={id} form={form} index={index} onRemove={() => remove(index)} />
        ))}
      </div>
      <div>
        <Button size="sm" onClick={add}>
          <Plus aria-hidden="true" />
          Add an address
        </Button>
      </div>
    </div>
  )
}

interface ChannelProps extends FieldsProps {
  readonly index: number
  readonly onRemove: () => void
}

function Channel({ form, index, onRemove }: ChannelProps) {
  const channel = form.values.channels[index]
  if (!channel) return null
  const [label, placeholder] = addresses[channel.kind]
  return (
    <fieldset className="flex flex-col gap-3 border-b pb-4">
      <legend className="sr-only">{`Address ${index + 1}`}</legend>
      <div className="grid items-end gap-3 sm:grid-cols-[10rem_minmax(0,1fr)_auto]">
        <SelectField form={form} name={`channels.${index}.kind`} label="Kind">
          <option value="email">Email</option>
          <option value="webhook">Webhook</option>
          <option value="slack">Slack</option>
        </SelectField>
        <TextField form={form} name={`channels.${index}.to`} label={label} placeholder={placeholder} />
        <Button variant="ghost" aria-label={`Remove address ${index + 1}`} onClick={onRemove}>
          Remove
        </Button>
      </div>
      <SwitchField form={form} name={`channels.${index}.isQuiet`} label="Quiet hours" />
      {channel.isQuiet && (
        <div className="grid gap-3 sm:grid-cols-3">
          <TextField form={form} name={`channels.${index}.quiet_hours.from`} label="From" type="time" />
          <TextField form={form} name={`channels.${index}.quiet_hours.to`} label="To" type="time" />
          <SelectField form={form} name={`channels.${index}.quiet_hours.time_zone`} label="Time zone">
            {timeZones.map((zone) => (
              <option key={zone} value={zone}>
                {zone}
              </option>
            ))}
          </SelectField>
        </div>
      )}
    </fieldset>
  )
}
