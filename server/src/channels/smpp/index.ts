/** Text messages over SMPP 3.4, with one bound transceiver for each account. */

import { within } from '../../platform/within.ts'
import type { AccountContext, ProviderAccount, ProviderKind } from '../channel.ts'
import { SmppLink } from './link.ts'
import { readReceipt } from './receipt.ts'
import { sendText } from './send.ts'
import { SendWindow } from './send-window.ts'
import { SentMessages } from './sent-messages.ts'
import { type SmppSettings, smppSettings } from './settings.ts'

const DRAIN_TIMEOUT_MS = 3_000

export const smpp: ProviderKind<SmppSettings> = {
  kind: 'smpp',
  settings: smppSettings,
  hostOf: ({ host }) => ({ host, isHttp: false }),
  open: openAccount,
}

// Connects before anything is sent, unless it is passive: receipts of earlier messages wait at the carrier.
function openAccount(settings: SmppSettings, context: AccountContext): ProviderAccount {
  const sent = new SentMessages()
  const window = new SendWindow(settings.window)
  const connect = () =>
    new SmppLink(
      settings,
      async (deliver) => {
        const report = readReceipt(deliver)
        const receipt = report && sent.receiptOf(report)
        if (receipt) await context.onReceipt(receipt)
      },
      context,
    )
  let link = context.isPassive ? null : connect()
  return {
    send: (message, signal) => {
      link ??= connect()
      return sendText({ settings, link, window, sent }, message, signal)
    },
    connection: () => link?.connection ?? { kind: 'connecting' },
    check: async (signal) => {
      link ??= connect()
      const ready = await link.ready(signal)
      return 'error' in ready ? ready.error : null
    },
    close: async () => {
      await within(DRAIN_TIMEOUT_MS, window.close())
      await link?.close()
    },
  }
}
