/** Codes through the WhatsApp Cloud API, by template or in reply to a person's message. */
import { openHttpClient } from '../../platform/http-client.ts'
import { hostOf } from '../base-url.ts'
import type { ProviderKind } from '../channel.ts'
import { checkReachable } from '../http-check.ts'
import { parseCallback } from './callback.ts'
import { faultOf } from './errors.ts'
import { sendMessage } from './send.ts'
import { type WhatsappSettings, whatsappSettings } from './settings.ts'

// Meta sends up to 3 MB at once.
const MAX_CALLBACK_BYTES = 4_194_304

export const whatsapp: ProviderKind<WhatsappSettings> = {
  kind: 'whatsapp',
  settings: whatsappSettings,
  hostOf: ({ base_url }) => hostOf(base_url),
  callsBack: () => true,
  open: (settings, context) => {
    const http = openHttpClient(context.lookup)
    return {
      send: (message, signal) => sendMessage(http, settings, message, signal),
      check: (signal) => checkReachable(http, settings.base_url, signal),
      parseCallback: (request) => parseCallback(settings, request),
      faultOf: ({ code }) => faultOf(Number(code)),
      maxCallbackBytes: MAX_CALLBACK_BYTES,
      close: http.close,
    }
  },
}
