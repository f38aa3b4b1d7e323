/** A wa.me link: the number that the person writes to, and the reference by which their message is recognised. */
import type { Keyring } from '../../platform/keyring.ts'
import { operatorOwner } from '../../platform/tenant.ts'
import { chooseLocale, renderLinkText } from '../messages/index.ts'
import type { Provider } from '../routing/index.ts'
import type { App } from '../tenancy/index.ts'
import type { NewLink } from './issuing/batch.ts'
import type { Verification } from './verification.ts'

export function actionUrlOf(app: App, verification: Verification, keyring: Keyring): string | null {
  if (verification.linkMode === null) return null
  const { dataKey, otpId, codeVersion, locale, friendlyName } = verification
  const reference = keyring.linkReference(dataKey, otpId, codeVersion)
  const shipped = chooseLocale(locale, app.settings.default_locale, new Set())
  const text = renderLinkText({ locale: shipped, appName: friendlyName ?? app.name, reference })
  return `https://wa.me/${verification.linkNumber}?text=${encodeURIComponent(text)}`
}

export function newLink(verification: Verification, provider: Provider, keyring: Keyring): NewLink {
  const { dataKey, otpId, codeVersion } = verification
  const reference = keyring.linkReference(dataKey, otpId, codeVersion)
  return {
    ownerId: provider.companyId ?? operatorOwner,
    verification,
    number: whatsappNumberOf(provider),
    referenceHash: hashReference(keyring, reference.replaceAll('-', '')),
  }
}

export function whatsappNumberOf(provider: Provider): string {
  if (provider.whatsappNumber === null) throw new Error('a WhatsApp provider without a number')
  return provider.whatsappNumber
}

/** `reference` is in capitals, without dashes. */
export const hashReference = (keyring: Keyring, reference: string) => keyring.lookupHash('link', reference)
