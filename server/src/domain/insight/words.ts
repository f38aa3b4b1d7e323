import type { ChannelName } from '@countersign/contract'

/** Channels as people call them. */
export const channelWords: Readonly<Record<ChannelName, string>> = {
  sms: 'SMS',
  whatsapp: 'WhatsApp',
  telegram: 'Telegram',
  email: 'email',
}

export const count = (number: number, noun: string) => `${number} ${noun}${number === 1 ? '' : 's'}`

export const underDays = (days: number) => (days === 1 ? 'less than a day' : `less than ${days} days`)
