import { z } from 'zod'
import { baseUrlSetting } from '../base-url.ts'
import { secretSetting } from '../setting-bounds.ts'

export const TELEGRAM_BASE_URL = 'https://gatewayapi.telegram.org'

export const telegramSettings = z.strictObject({
  token: secretSetting,
  sender_username: z
    .string()
    .regex(/^[A-Za-z][A-Za-z0-9_]{3,31}$/, 'sender_username is a channel name without @')
    .optional(),
  base_url: baseUrlSetting(TELEGRAM_BASE_URL),
})

export type TelegramSettings = z.infer<typeof telegramSettings>
