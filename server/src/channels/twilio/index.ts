/** Text messages through Twilio Programmable Messaging. */
import { openHttpClient } from '../../platform/http-client.ts'
import { hostOf } from '../base-url.ts'
import type { ProviderKind } from '../channel.ts'
import { checkReachable } from '../http-check.ts'
import { parseCallback } from './callback.ts'
import { faultOf } from './errors.ts'
import { createSend } from './send.ts'
import { type TwilioSettings, twilioSettings } from './settings.ts'

// Twilio waits for 15 seconds, and does not repeat a status callback that was answered with an error.
const CALLBACK_PATIENCE_MS = 12_000

export const twilio: ProviderKind<TwilioSettings> = {
  kind: 'twilio',
  settings: twilioSettings,
  hostOf: ({ base_url }) => hostOf(base_url),
  callsBack: () => true,
  open: (settings, context) => {
    const http = openHttpClient(context.lookup)
    return {
      send: createSend(http, settings),
      check: (signal) => checkReachable(http, settings.base_url, signal),
      parseCallback: (request) => parseCallback(settings, request),
      faultOf: ({ code }) => faultOf(Number(code)),
      callbackPatienceMs: CALLBACK_PATIENCE_MS,
      close: http.close,
    }
  },
}
