/** The message as its account takes it: the code, the text in the right language, the address. */
import type { OutgoingMessage } from '../../channels/channel.ts'
import type { Clock } from '../../platform/clock.ts'
import type { AppId } from '../../platform/ids.ts'
import type { Keyring } from '../../platform/keyring.ts'
import { addressOf } from '../guard/index.ts'
import {
  type AppTemplates,
  autofillOf,
  chooseLocale,
  renderMessage,
  uploadedLocales,
} from '../messages/index.ts'
import type { Provider } from '../routing/index.ts'
import type { App } from '../tenancy/index.ts'
import { type DueDelivery, messageContext, recipientContext } from './delivery.ts'

export interface ComposeDependencies {
  readonly clock: Clock
  readonly keyring: () => Keyring
  readonly callbackUrl: (providerId: string) => string
  /** Texts of the installation's own apps, used in place of their settings. */
  readonly ownTexts: ReadonlyMap<AppId, AppTemplates>
}

export function compose(
  { clock, keyring: readKeyring, callbackUrl, ownTexts }: ComposeDependencies,
  due: DueDelivery,
  { app, recipient }: { readonly app: App; readonly recipient: Buffer },
  provider: Provider,
): OutgoingMessage {
  const keyring = readKeyring()
  const { recipient: written, code } = due.plain ?? {
    recipient: keyring.open(recipient, recipientContext(due.otpId)),
    code: keyring.code(due.dataKey, due.otpId, due.codeVersion, due.codeLength),
  }
  const minutes = Math.max(1, Math.round(due.ttlSeconds / 60))
  const { messages, autofill, default_locale: appLocale } = app.settings
  const templates = ownTexts.get(app.appId) ?? messages
  const uploaded = due.channel === 'telegram' ? new Set<string>() : uploadedLocales(templates, due.channel)
  const locale = chooseLocale(due.locale, appLocale, uploaded)
  const { text, subject, html } = renderMessage({
    channel: due.channel,
    locale,
    appName: due.friendlyName ?? app.name,
    code,
    minutes,
    templates,
    autofill: autofillOf(autofill),
  })
  return {
    deliveryId: due.deliveryId,
    recipient: addressOf(written),
    code,
    text,
    subject,
    html,
    locale,
    ttlSeconds: due.ttlSeconds,
    nowMs: clock.nowMs(),
    inReplyTo: due.replyTo && keyring.open(due.replyTo, messageContext(due.otpId)),
    callbackUrl: callbackUrl(provider.providerId),
  }
}
