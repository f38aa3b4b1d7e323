import type { AppSettings, BlockAnswer } from '@countersign/contract'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Button } from '#components/ui/button.tsx'
import { Confirm } from '#components/ui/confirm.tsx'
import { useApp, useMayChangeApp } from '#lib/app.ts'
import { countryName } from '#lib/format.ts'
import { useSettingsChange } from '#lib/use-settings-change.ts'
import { usePutRules } from '../api/put-rules.ts'
import { rulesQuery } from '../api/queries.ts'
import { isNever, withNever } from '../lib/never-here.ts'

interface PlaceActionsProps {
  readonly appId: string
  readonly block: BlockAnswer
}

/** What somebody may know better of a place than the guard: that people are there, or that none are. */
export function PlaceActions({ appId, block }: PlaceActionsProps) {
  const { reason } = useMayChangeApp(appId)
  const { country, prefix, place } = block
  if (reason !== undefined) return null
  if (country !== null) return <CountryActions appId={appId} country={country} />
  return prefix === null ? null : <RangeActions appId={appId} prefix={prefix} place={place} />
}

function CountryActions({ appId, country }: { readonly appId: string; readonly country: string }) {
  const app = useApp(appId)
  const change = useSettingsChange(appId, { says: 'Saved', problems: 'form', refreshes: ['listBlocks'] })
  const name = countryName(country)
  const { declared_countries } = app.pumping
  return (
    <>
      {!declared_countries.includes(country) && (
        <Declare
          name={name}
          description="For a country where you expect new people. From now on it counts as a country where the app has its people."
          action="Declare the country"
          onConfirm={() => change({ pumping: { declared_countries: [...declared_countries, country] } })}
        />
      )}
      {mayBeSentTo(app.geo, country) && (
        <NeverHere
          name={name}
          description="Nobody there gets a code any more, on any channel, until you allow the country again under countries."
          action="Block the country"
          onConfirm={() => change({ geo: withoutCountry(app.geo, country) })}
        />
      )}
    </>
  )
}

interface RangeActionsProps {
  readonly appId: string
  readonly prefix: string
  readonly place: string
}

/** Always of ten thousand numbers: what is narrower would say more of a number than anybody is shown. */
function RangeActions({ appId, prefix, place }: RangeActionsProps) {
  const { safe_prefixes } = useApp(appId).pumping
  const client = useQueryClient()
  const { data } = useQuery(rulesQuery(appId))
  const change = useSettingsChange(appId, { says: 'Saved', problems: 'form', refreshes: ['listBlocks'] })
  const put = usePutRules()
  const refuse = async () => {
    const { revision, rules } = await client.fetchQuery({ ...rulesQuery(appId), staleTime: 0 })
    await put.mutateAsync({
      params: { app_id: appId },
      body: { revision, rules: withNever(rules, prefix) },
    })
  }
  return (
    <>
      {!safe_prefixes.includes(prefix) && (
        <Declare
          name={place}
          description={`For numbers that you know. From now on those that begin with ${prefix} are a safe prefix: never held back, and never counted.`}
          action="Declare the range"
          onConfirm={() => change({ pumping: { safe_prefixes: [...safe_prefixes, prefix] } })}
        />
      )}
      {data && !isNever(data.rules, prefix) && (
        <NeverHere
          name={place}
          description={`Nobody whose number begins with ${prefix} gets a code any more, on any channel. It becomes one of your own rules, where you can remove it.`}
          action="Block the range"
          onConfirm={refuse}
        />
      )}
    </>
  )
}

interface AskedProps {
  readonly name: string
  readonly description: string
  readonly action: string
  readonly onConfirm: () => Promise<unknown>
}

const Declare = ({ name, ...asked }: AskedProps) => (
  <Confirm
    trigger={
      <Button size="sm" aria-label={`Declare ${name}`}>
        Declare
      </Button>
    }
    tone="calm"
    title={`Declare ${name}?`}
    {...asked}
  />
)

const NeverHere = ({ name, ...asked }: AskedProps) => (
  <Confirm
    trigger={
      <Button size="sm" aria-label={`Never here: ${name}`}>
        Never here
      </Button>
    }
    title={`Never send to ${name}?`}
    {...asked}
  />
)

const mayBeSentTo = ({ mode, countries }: AppSettings['geo'], country: string): boolean =>
  countries.includes(country) === (mode === 'allow')

const withoutCountry = ({ mode, countries }: AppSettings['geo'], country: string): AppSettings['geo'] => ({
  mode,
  countries:
    mode === 'block' ? [...new Set([...countries, country])] : countries.filter((code) => code !== country),
})
