export const channelTabs = ['channels', 'accounts', 'messages'] as const
const messageChannels = ['sms', 'whatsapp', 'email'] as const
export type MessageChannel = (typeof messageChannels)[number]

export interface ChannelsSearch {
  readonly tab?: (typeof channelTabs)[number] | undefined
  /** The channel whose text is shown. */
  readonly text?: MessageChannel | undefined
  readonly locale?: string | undefined
}

export const parseChannelsSearch = (search: Record<string, unknown>): ChannelsSearch => ({
  tab: channelTabs.find((tab) => tab === search.tab),
  text: messageChannels.find((channel) => channel === search.text),
  locale:
    typeof search.locale === 'string' && /^[A-Za-z0-9-]{2,35}$/.test(search.locale)
      ? search.locale
      : undefined,
})
