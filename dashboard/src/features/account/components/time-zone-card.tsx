import { Card } from '#components/ui/card.tsx'
import { Field } from '#components/ui/field.tsx'
import { Select } from '#components/ui/input.tsx'
import { ExactTime } from '#components/ui/values.tsx'
import { browserZone, chooseZone, timeZones, useChosenZone } from '#lib/time-zone.ts'
import { useNow } from '#lib/use-now.ts'

const refreshMs = 1_000

/** The choice takes effect at once, since it is kept only in this browser. */
export function TimeZoneCard() {
  const zone = useChosenZone()
  const now = new Date(useNow(refreshMs)).toISOString()
  return (
    <Card title="Time zone">
      <Field
        label="Show times in"
        hint={
          <>
            Now it is <ExactTime value={now} />. This browser remembers the choice.
          </>
        }
        className="max-w-md"
      >
        {(control) => (
          <Select {...control} value={zone ?? ''} onChange={({ target }) => chooseZone(target.value || null)}>
            <option value="">Your browser’s time zone ({browserZone.replaceAll('_', ' ')})</option>
            {timeZones.map((name) => (
              <option key={name} value={name}>
                {name.replaceAll('_', ' ')}
              </option>
            ))}
          </Select>
        )}
      </Field>
    </Card>
  )
}
