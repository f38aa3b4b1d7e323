/** Codes through the Telegram Gateway. */
import { openHttpClient } from '../../platform/http-client.ts'
import { hostOf } from '../base-url.ts'
import type { ProviderKind } from '../channel.ts'
import { checkReachable } from '../http-check.ts'
import { parseCallback } from './callback.ts'
import { checkVerificationStatus, sendVerificationMessage } from './gateway.ts'
import { type TelegramSettings, telegramSettings } from './settings.ts'

export const telegram: ProviderKind<TelegramSettings> = {
  kind: 'telegram',
  settings: telegramSettings,
  hostOf: ({ base_url }) => hostOf(base_url),
  callsBack: () => true,
  open: (settings, context) => {
    const http = openHttpClient(context.lookup)
    return {
      send: (message, signal) => sendVerificationMessage(http, settings, message, signal),
      check: (signal) => checkReachable(http, settings.base_url, signal),
      parseCallback: (request) => parseCallback(settings, request),
      reportApproved: (messageId, code, signal) =>
        checkVerificationStatus(http, settings, messageId, code, signal),
      close: http.close,
    }
  },
}
