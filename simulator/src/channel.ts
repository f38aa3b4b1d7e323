export const CHANNELS = ['sms', 'whatsapp', 'telegram', 'email'] as const
export type Channel = (typeof CHANNELS)[number]

export function isChannel(value: unknown): value is Channel {
  return CHANNELS.some((channel) => channel === value)
}
