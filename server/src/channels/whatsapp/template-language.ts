/** Meta has its own codes for template languages: a fixed list, with `_` and few regions. */

const META_REGIONS = new Set([
  'en_GB',
  'en_US',
  'es_AR',
  'es_ES',
  'es_MX',
  'pt_BR',
  'pt_PT',
  'zh_CN',
  'zh_HK',
  'zh_TW',
])

const META_NAMES: Readonly<Record<string, string>> = {
  en: 'en_US',
  pt: 'pt_PT',
  zh: 'zh_CN',
  'zh-hans': 'zh_CN',
  'zh-hant': 'zh_TW',
  no: 'nb',
  tl: 'fil',
  iw: 'he',
}

/** If an operator gives `languages`, only those exist: any other code would be refused. */
export function templateLanguage(
  locale: string,
  languages: Readonly<Record<string, string>> | undefined,
): string {
  if (languages === undefined) return metaLanguage(locale)
  const known = new Map(Object.entries(languages).map(([name, code]) => [name.toLowerCase(), code]))
  for (const name of [...fallbacks(locale), 'en']) {
    const code = known.get(name)
    if (code !== undefined) return code
  }
  return Object.values(languages)[0] ?? metaLanguage(locale)
}

function metaLanguage(locale: string): string {
  const [language = 'en', ...rest] = locale.toLowerCase().split('-')
  const region = rest.find((subtag) => subtag.length === 2)
  if (region !== undefined) {
    const code = `${language}_${region.toUpperCase()}`
    if (META_REGIONS.has(code)) return code
  }
  for (const name of fallbacks(locale)) {
    const code = META_NAMES[name]
    if (code !== undefined) return code
  }
  return language
}

/** `pt-BR-x` → `pt-br-x`, `pt-br`, `pt`. */
function fallbacks(locale: string): string[] {
  const subtags = locale.toLowerCase().split('-')
  return subtags.map((_, index) => subtags.slice(0, subtags.length - index).join('-'))
}
