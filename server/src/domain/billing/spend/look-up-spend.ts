/** What an app has spent, beside its caps. */
import type { PriceBook } from '@countersign/contract'
import { type Database, inOrder } from '../../../platform/database.ts'
import { type AppRef, getApp } from '../../tenancy/index.ts'
import { lookAt } from '../hold-store.ts'
import { type Cap, type Count, capOf, countedMicros, dayCapSetting, floorOf, startOf } from './caps.ts'
import { Spend } from './spend.ts'
import { listSpendCountries, readSpend } from './store.ts'

type Spent = Count & { readonly cap: Cap }

export interface SpendView {
  readonly currency: string
  readonly dayStartMs: number
  readonly hourStartMs: number
  readonly countries: readonly (Spent & { readonly country: string | null })[]
  readonly hour: Spent & { readonly unverifiedMicros: bigint }
}

export async function lookUpSpend(
  { database, prices }: { readonly database: Database; readonly prices: () => Promise<PriceBook> },
  app: AppRef,
): Promise<SpendView> {
  const { appId, companyId, settings } = await getApp({ database }, app)
  const { day_by_country: byCountry, hour_unverified } = settings.spend_caps
  const book = await prices()
  const floorMicros = floorOf(book)
  const spentIn = await listSpendCountries(database.of(companyId), appId)
  const countries = [...new Set([...spentIn, ...Object.keys(byCountry.countries)])]
  // At least one country is asked for, since the row of the hour comes with it.
  const wanted = (countries.length > 0 ? countries : [null]).map((country) => ({ companyId, appId, country }))
  const [{ nowMs }, loaded] = await lookAt(database, companyId, (held, found) =>
    inOrder([found, readSpend(held, wanted, false)]),
  )
  const spend = new Spend(loaded, nowMs)
  const hour = spend.count('hour', appId, null)
  return {
    currency: book.currency,
    dayStartMs: startOf('day', nowMs),
    hourStartMs: startOf('hour', nowMs),
    countries: countries.map((country) => {
      const day = spend.count('day', appId, country)
      return { ...day, country, cap: capOf(dayCapSetting(byCountry, country), day, floorMicros) }
    }),
    hour: {
      ...hour,
      unverifiedMicros: countedMicros('hour', hour),
      cap: capOf(hour_unverified, hour, floorMicros),
    },
  }
}
