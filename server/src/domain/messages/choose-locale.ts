import { byText, memo } from '../../platform/memo.ts'
import { shippedLocales } from './locales.ts'

const maxTagCharacters = 35
const lastResort = 'en'

/** Languages that use another's texts, though CLDR treats them as different. */
const readAs: Readonly<Record<string, string>> = { no: 'nb', nn: 'nb' }

const shippedByTag = new Map(shippedLocales.map((locale) => [locale, locale]))

/** Well-formed BCP 47, as ECMA-402 understands it: `pt-BR`, not `pt_BR`. */
export function isLanguageTag(text: string): boolean {
  return text.length <= maxTagCharacters && canonicalTag(text) !== null
}

/** Also accepts the spelling of operating systems, `pt_BR` or `en-US@posix`; null for a text that is no tag. */
export function readLanguageTag(written: string): string | null {
  const tag = written.replace(/[.@].*$/s, '').replaceAll('_', '-')
  return isLanguageTag(tag) ? tag : null
}

/** The first locale that has texts: the requested one, less and less specific, then the app's own, then `en`. */
export function chooseLocale(
  requested: string | null,
  appDefault: string,
  uploaded: ReadonlySet<string>,
): string {
  const uploadedByTag = new Map([...uploaded].map((locale) => [canonicalTag(locale) ?? locale, locale]))
  for (const wanted of [requested, appDefault]) {
    if (wanted === null) continue
    for (const tag of readings(wanted)) {
      const found = uploadedByTag.get(tag) ?? shippedByTag.get(tag)
      if (found !== undefined) return found
    }
  }
  return lastResort
}

/** The readings are cached, since finding them costs more than the rest of a message, and there are few languages. */
const readings = memo(1_000, byText, (wanted) =>
  isLanguageTag(wanted) ? fromMostToLeastSpecific(wanted) : [],
)

/** Which way a locale's script runs, shipped or not. */
export function directionOf(locale: string): 'ltr' | 'rtl' {
  const script = isLanguageTag(locale) ? new Intl.Locale(locale).maximize().script : undefined
  return script !== undefined && rightToLeftScripts.has(script) ? 'rtl' : 'ltr'
}

const rightToLeftScripts: ReadonlySet<string> = new Set([
  'Adlm',
  'Arab',
  'Hebr',
  'Mand',
  'Nkoo',
  'Rohg',
  'Samr',
  'Syrc',
  'Thaa',
])

function fromMostToLeastSpecific(wanted: string): string[] {
  const locale = new Intl.Locale(wanted)
  const subtags = locale.toString().split('-')
  const prefixes = subtags.slice(1).map((_, dropped) => subtags.slice(0, subtags.length - dropped).join('-'))
  const regional = locale.region === undefined ? [] : [`${locale.language}-${locale.region}`]
  // A text in traditional characters (zh-HK, zh-Hant) is nearer to Taiwan's than to plain zh.
  const traditional = locale.language === 'zh' && locale.maximize().script === 'Hant' ? ['zh-TW'] : []
  const related = readAs[locale.language]
  return [
    ...prefixes,
    ...regional,
    ...traditional,
    locale.language,
    ...(related === undefined ? [] : [related]),
  ]
}

function canonicalTag(text: string): string | null {
  try {
    return Intl.getCanonicalLocales(text)[0] ?? null
  } catch {
    return null
  }
}
