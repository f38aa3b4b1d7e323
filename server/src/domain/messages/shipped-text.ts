import { byText, memo } from '../../platform/memo.ts'
import { chooseLocale } from './choose-locale.ts'
import type { Language } from './language.ts'
import { getLanguage } from './locales.ts'

const nothingUploaded: ReadonlySet<string> = new Set()

/** The shipped texts of one language, put together; they still contain placeholders. */
export interface ShippedText {
  /** The shipped locale that the texts are in. */
  readonly locale: string
  readonly language: Language
  readonly codeWithWarning: string
  readonly expiryLine: (minutes: number) => string
}

/** The texts in the shipped locale nearest to `wanted`, which may be one that only the app has texts in. */
export const shippedText = memo(1_000, byText, (wanted): ShippedText => {
  const locale = chooseLocale(wanted, wanted, nothingUploaded)
  const language = getLanguage(locale)
  const { codeLine, warning, expiry } = language
  return {
    locale,
    language,
    // Chinese and Japanese put no space between sentences.
    codeWithWarning: codeLine.endsWith('。') ? codeLine + warning : `${codeLine} ${warning}`,
    expiryLine: (minutes) => expiry[new Intl.PluralRules(locale).select(minutes)] ?? expiry.other,
  }
})
