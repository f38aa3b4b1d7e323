import type { EventType } from '@countersign/contract'
import type { FieldPathByValue, FieldValues } from 'react-hook-form'
import { Choice } from '#components/ui/choice.tsx'
import { FieldProblem } from '#components/ui/field.tsx'
import { eventTypes } from '#contract'
import { useField } from '#lib/form/use-field.ts'
import type { Form } from '#lib/form/use-form.ts'

const eventTypeWords: Readonly<Record<EventType, string>> = {
  'otp.approved': 'The right code was entered, or the person’s WhatsApp message came',
  'otp.failed': 'The last attempt was wrong',
  'delivery.delivered': 'A message arrived',
  'delivery.failed': 'A message could not be delivered',
}

interface EventTypesFieldProps<Values extends FieldValues> {
  readonly form: Form<Values>
  readonly name: FieldPathByValue<Values, readonly EventType[] | null>
}

/** All events, including types that are added later, or those that are ticked. */
export function EventTypesField<Values extends FieldValues>({ form, name }: EventTypesFieldProps<Values>) {
  const field = useField(form, name)
  const chosen: readonly EventType[] | null = field.value
  const tick = (type: EventType, isTicked: boolean) =>
    field.onChange(eventTypes.filter((one) => (one === type ? isTicked : chosen?.includes(one))))
  return (
    <div className="flex flex-col gap-1">
      <Choice
        label="Events"
        value={chosen === null ? 'all' : 'some'}
        onChange={(next) => field.onChange(next === 'all' ? null : eventTypes)}
        className="sm:grid-cols-2"
        options={[
          { value: 'all', label: 'All events', text: 'Including types that may be added later.' },
          { value: 'some', label: 'Only some', text: 'Only the types that you tick are sent here.' },
        ]}
      />
      {chosen && (
        <ul className="mt-1 flex flex-col gap-1.5">
          {eventTypes.map((type) => (
            <li key={type}>
              <label className="flex items-start gap-2 text-sm">
                <input
                  type="checkbox"
                  checked={chosen.includes(type)}
                  onChange={({ target }) => tick(type, target.checked)}
                  className="mt-0.5 size-4 shrink-0 accent-accent"
                />
                <span className="min-w-0">
                  <span className="font-mono text-xs">{type}</span>
                  <span className="block text-xs text-muted">{eventTypeWords[type]}</span>
                </span>
              </label>
            </li>
          ))}
        </ul>
      )}
      <FieldProblem text={field.problem && 'Tick at least one type'} />
    </div>
  )
}
