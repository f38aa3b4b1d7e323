import type { ChannelName } from '@countersign/contract'

/** Channels as people call them. */
export const channelWords: Readonly<Record<ChannelName, string>> = {
  sms: 'SMS',
  whatsapp: 'WhatsApp',
  telegram: 'Telegram',
  email: 'email',
}

/** One message on a channel: “the SMS message was queued”, “the email was delivered”. */
export const messageWords: Readonly<Record<ChannelName, string>> = {
  sms: 'SMS message',
  whatsapp: 'WhatsApp message',
  telegram: 'Telegram message',
  email: 'email',
}

const thousands = new Intl.NumberFormat('en')
/** A number as people read it: `8,864`. */
export const figure = (number: number): string => thousands.format(number)

export const count = (number: number, noun: string) => `${figure(number)} ${noun}${number === 1 ? '' : 's'}`

export const underDays = (days: number) => (days === 1 ? 'less than a day' : `less than ${days} days`)
