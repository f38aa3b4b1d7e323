import type { AppSettings, BlockAnswer } from '@countersign/contract'
import { Button } from '#components/ui/button.tsx'
import { Confirm } from '#components/ui/confirm.tsx'
import { useApp, useMayChangeApp } from '#lib/app.ts'
import { countryName } from '#lib/format.ts'
import { useSettingsChange } from '#lib/use-settings-change.ts'
import { countryOf } from '../lib/block-words.ts'

interface CountryActionsProps {
  readonly appId: string
  readonly block: BlockAnswer
}

/** What somebody may know better of a country than the guard: that people are there, or that none are. */
export function CountryActions({ appId, block }: CountryActionsProps) {
  const app = useApp(appId)
  const { reason } = useMayChangeApp(appId)
  const change = useSettingsChange(appId, { says: 'Saved', problems: 'form', refreshes: ['listBlocks'] })
  const country = countryOf(block)
  if (country === null || reason !== undefined) return null
  const name = countryName(country)
  const { declared_countries } = app.pumping
  return (
    <>
      {!declared_countries.includes(country) && (
        <Confirm
          trigger={
            <Button size="sm" aria-label={`Declare ${name}`}>
              Declare
            </Button>
          }
          tone="calm"
          title={`Declare ${name}?`}
          description="For a country where you expect new people. From now on it is judged as one of the app’s own."
          action="Declare the country"
          onConfirm={() => change({ pumping: { declared_countries: [...declared_countries, country] } })}
        />
      )}
      <Confirm
        trigger={
          <Button size="sm" aria-label={`Never here: ${name}`}>
            Never here
          </Button>
        }
        title={`Never send to ${name}?`}
        description="Nobody there gets a code any more, on any channel, until you allow the country again under countries."
        action="Block the country"
        onConfirm={() => change({ geo: withoutCountry(app.geo, country) })}
      />
    </>
  )
}

const withoutCountry = ({ mode, countries }: AppSettings['geo'], country: string): AppSettings['geo'] => ({
  mode,
  countries:
    mode === 'block' ? [...new Set([...countries, country])] : countries.filter((code) => code !== country),
})
