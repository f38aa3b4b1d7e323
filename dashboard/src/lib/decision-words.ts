/** The words that pages use in the sentences of decisions. */
import type { Words } from '@countersign/contract/words'
import { channelLabels, countryName } from './format.ts'

export const wordsOfPages = (money: Words['money']): Words => ({
  country: countryName,
  channel: (name) => channelLabels[name],
  money,
  account: (providerId) => providerId,
  recipient: 'The recipient',
  clientIp: 'client IP',
  scope: () => '',
  again: (duration) => `Possible again after ${duration}`,
})
