import { z } from 'zod'
import { baseUrl, plainSecret, setting } from './setting.ts'

export const TELEGRAM_BASE_URL = 'https://gatewayapi.telegram.org'

export const telegramSettings = z.strictObject({
  token: setting(plainSecret, { title: 'Gateway token', writeOnly: true, 'x-destination': 'credential' }),
  sender_username: setting(
    z.string().regex(/^[A-Za-z][A-Za-z0-9_]{3,31}$/, 'must be a channel name without @'),
    {
      title: 'Sender',
      description: 'A verified channel to send as, without @.',
      examples: ['shop_codes'],
    },
  ).optional(),
  base_url: baseUrl(TELEGRAM_BASE_URL),
})

export type TelegramSettings = z.infer<typeof telegramSettings>
