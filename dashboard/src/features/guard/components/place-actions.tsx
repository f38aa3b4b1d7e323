import type { AppSettings, BlockAnswer } from '@countersign/contract'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Button } from '#components/ui/button.tsx'
import { appQuery, useApp, useMayChangeApp } from '#lib/app.ts'
import { placeInWords } from '#lib/block-words.ts'
import { countryName } from '#lib/format.ts'
import { useSettingsChange } from '#lib/use-settings-change.ts'
import { useLiftBlock, useRestoreBlock } from '../api/lift-block.ts'
import { usePutRules } from '../api/put-rules.ts'
import { rulesQuery } from '../api/queries.ts'
import { isNever, withNever, withoutNever } from '../lib/never-here.ts'
import type { RuleDraft } from '../lib/rule-values.ts'
import { Act, type Done } from './act.tsx'

interface ActionsProps {
  readonly appId: string
  readonly block: BlockAnswer
  readonly onDone: (done: Done) => void
}

/** What a person may know better than the guard: that a place has real people, or that it has none. */
export function PlaceActions(props: ActionsProps) {
  const { appId, block } = props
  const { reason } = useMayChangeApp(appId)
  const { country, prefix } = block
  if (reason !== undefined)
    return (
      <Button size="sm" aria-label={liftLabel(block)} disabledReason={reason}>
        Lift
      </Button>
    )
  return (
    <>
      <Lift {...props} />
      {country !== null && <CountryActions {...props} country={country} />}
      {country === null && prefix !== null && <RangeActions {...props} prefix={prefix} />}
    </>
  )
}

const liftLabel = (block: BlockAnswer) => `Lift the block on ${placeInWords(block).where}`

function Lift({ appId, block, onDone }: ActionsProps) {
  const [lift, restore] = [useLiftBlock(), useRestoreBlock()]
  const params = { app_id: appId, block_id: block.block_id }
  return (
    <Act
      label={liftLabel(block)}
      hint="Unblocks it for a day and clears its debt"
      act={() => lift.mutateAsync({ params })}
      undo={() => restore.mutateAsync({ params })}
      text={`Lifted: text messages go to ${placeInWords(block).where} again, for a day.`}
      onDone={onDone}
    >
      Lift
    </Act>
  )
}

let lastTurn: Promise<unknown> = Promise.resolve()

/** Runs changes one after another: each writes a whole list, so of two that begin with the same one, one is lost. */
function inTurn<Result>(run: () => Promise<Result>): Promise<Result> {
  const turn = lastTurn.then(run)
  lastTurn = turn.catch(() => {})
  return turn
}

/** Changes the settings as they are now, not as they were when the page was drawn. */
function useChangeNow(appId: string) {
  const client = useQueryClient()
  const change = useSettingsChange(appId, { problems: 'form', refreshes: ['listBlocks'] })
  return (changed: (settings: AppSettings) => Parameters<typeof change>[0]) =>
    inTurn(async () => change(changed(await client.fetchQuery({ ...appQuery(appId), staleTime: 0 }))))
}

const declareHint = 'You expect real people there'
const neverHint = 'Codes are no longer sent there, on any channel'

function CountryActions({ appId, country, onDone }: ActionsProps & { readonly country: string }) {
  const app = useApp(appId)
  const change = useChangeNow(appId)
  const name = countryName(country)
  return (
    <>
      {!app.pumping.declared_countries.includes(country) && (
        <Act
          label={`Declare ${name}`}
          hint={declareHint}
          act={() =>
            change(({ pumping }) => ({
              pumping: { declared_countries: withItem(pumping.declared_countries, country) },
            }))
          }
          undo={() =>
            change(({ pumping }) => ({
              pumping: { declared_countries: withoutItem(pumping.declared_countries, country) },
            }))
          }
          text={`Declared: ${name} counts as a country where you have users.`}
          onDone={onDone}
        >
          Declare
        </Act>
      )}
      {mayBeSentTo(app.geo, country) && (
        <Act
          label={`Never here: ${name}`}
          hint={neverHint}
          act={() => change(({ geo }) => ({ geo: withCountry(geo, country, false) }))}
          undo={() => change(({ geo }) => ({ geo: withCountry(geo, country, true) }))}
          text={`Blocked: codes are no longer sent to ${name}, on any channel.${isLastAllowed(app.geo, country) ? ' No country is left on the list, so no phone number gets any.' : ''}`}
          onDone={onDone}
        >
          Never here
        </Act>
      )}
    </>
  )
}

/** Always for a range of 10,000 numbers: a narrower one would reveal more of a number than anybody is shown. */
function RangeActions({ appId, block, prefix, onDone }: ActionsProps & { readonly prefix: string }) {
  const { place } = block
  const { safe_prefixes } = useApp(appId).pumping
  const client = useQueryClient()
  const { data } = useQuery(rulesQuery(appId))
  const change = useChangeNow(appId)
  const put = usePutRules()
  const changeRules = (changed: (rules: readonly RuleDraft[], prefix: string) => RuleDraft[]) =>
    inTurn(async () => {
      const { revision, rules } = await client.fetchQuery({ ...rulesQuery(appId), staleTime: 0 })
      await put.mutateAsync({ params: { app_id: appId }, body: { revision, rules: changed(rules, prefix) } })
    })
  return (
    <>
      {!safe_prefixes.includes(prefix) && (
        <Act
          label={`Declare ${place}`}
          hint={declareHint}
          act={() =>
            change(({ pumping }) => ({ pumping: { safe_prefixes: withItem(pumping.safe_prefixes, prefix) } }))
          }
          undo={() =>
            change(({ pumping }) => ({
              pumping: { safe_prefixes: withoutItem(pumping.safe_prefixes, prefix) },
            }))
          }
          text={`Declared: numbers that start with ${prefix} are never held back, and never counted.`}
          onDone={onDone}
        >
          Declare
        </Act>
      )}
      {data && !isNever(data.rules, prefix) && (
        <Act
          label={`Never here: ${place}`}
          hint={neverHint}
          act={() => changeRules(withNever)}
          undo={() => changeRules(withoutNever)}
          text={`Blocked: codes are no longer sent to numbers that start with ${prefix}, on any channel.`}
          onDone={onDone}
        >
          Never here
        </Act>
      )}
    </>
  )
}

const withItem = (items: readonly string[], item: string) => [...new Set([...items, item])]
const withoutItem = (items: readonly string[], item: string) => items.filter((one) => one !== item)

const mayBeSentTo = ({ mode, countries }: AppSettings['geo'], country: string): boolean =>
  countries.includes(country) === (mode === 'allow')

const isLastAllowed = ({ mode, countries }: AppSettings['geo'], country: string) =>
  mode === 'allow' && countries.every((one) => one === country)

/** The list has the countries that may be sent to or those that may not, depending on the mode. */
const withCountry = (
  { mode, countries }: AppSettings['geo'],
  country: string,
  isAllowed: boolean,
): AppSettings['geo'] => ({
  mode,
  countries:
    isAllowed === (mode === 'allow') ? withItem(countries, country) : withoutItem(countries, country),
})
