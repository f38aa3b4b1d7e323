import type { ChannelName } from '@countersign/contract'
import { channelNames, countryCodes } from '#contract'
import { type Period, periods } from '#lib/period.ts'

export interface OverviewSearch {
  readonly period?: Period | undefined
  readonly channel?: ChannelName | undefined
  readonly country?: string | undefined
}

export const parseOverviewSearch = (search: Record<string, unknown>): OverviewSearch => ({
  period: periods.find((period) => period === search.period),
  channel: channelNames.find((channel) => channel === search.channel),
  country: countryCodes.find((code) => code === search.country),
})
