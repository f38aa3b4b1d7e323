import type { ChannelName } from '@countersign/contract'
import { channelNames } from '#contract'

const owners = ['operator', 'companies'] as const

export interface ProvidersSearch {
  readonly owner?: (typeof owners)[number] | undefined
  readonly channel?: ChannelName | undefined
}

export const parseProvidersSearch = (search: Record<string, unknown>): ProvidersSearch => ({
  owner: owners.find((owner) => owner === search.owner),
  channel: channelNames.find((channel) => channel === search.channel),
})
