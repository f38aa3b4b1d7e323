import type { AppSettings } from '@countersign/contract'
import {
  type Cap,
  capOf,
  countedMicros,
  dayCapSetting,
  exceedsCap,
  type Period,
  periodMs,
  startOf,
} from './caps.ts'
import type { Spend } from './spend.ts'

export interface SpendQuestion {
  readonly appId: string
  readonly caps: AppSettings['spend_caps']
  readonly country: string | null
  readonly priceMicros: bigint
  readonly floorMicros: bigint
  readonly nowMs: number
}

/** One message compared with one cap. */
export interface CapCheck {
  readonly period: Period
  readonly cap: Cap
  /** What is counted, this message included. */
  readonly countedMicros: bigint
  readonly isExceeded: boolean
  /** When the count starts again. */
  readonly untilMs: number
}

export function judgeCaps(
  spend: Spend,
  { appId, caps, country, priceMicros, floorMicros, nowMs }: SpendQuestion,
): [day: CapCheck, hour: CapCheck] {
  const checkOf = (period: Period, setting: string): CapCheck => {
    const count = spend.count(period, appId, country)
    const cap = capOf(setting, count, floorMicros)
    const counted = countedMicros(period, count)
    return {
      period,
      cap,
      countedMicros: counted + priceMicros,
      isExceeded: exceedsCap(cap, counted, priceMicros),
      untilMs: startOf(period, nowMs) + periodMs[period],
    }
  }
  return [checkOf('day', dayCapSetting(caps.day_by_country, country)), checkOf('hour', caps.hour_unverified)]
}
