import type { Language } from './language.ts'
import { ar } from './languages/ar.ts'
import { bg } from './languages/bg.ts'
import { bn } from './languages/bn.ts'
import { ca } from './languages/ca.ts'
import { cs } from './languages/cs.ts'
import { da } from './languages/da.ts'
import { de } from './languages/de.ts'
import { el } from './languages/el.ts'
import { en } from './languages/en.ts'
import { es } from './languages/es.ts'
import { fa } from './languages/fa.ts'
import { fi } from './languages/fi.ts'
import { fil } from './languages/fil.ts'
import { fr } from './languages/fr.ts'
import { he } from './languages/he.ts'
import { hi } from './languages/hi.ts'
import { hr } from './languages/hr.ts'
import { hu } from './languages/hu.ts'
import { id } from './languages/id.ts'
import { it } from './languages/it.ts'
import { ja } from './languages/ja.ts'
import { ko } from './languages/ko.ts'
import { ms } from './languages/ms.ts'
import { nb } from './languages/nb.ts'
import { nl } from './languages/nl.ts'
import { pl } from './languages/pl.ts'
import { pt } from './languages/pt.ts'
import { ptBR } from './languages/pt-br.ts'
import { ro } from './languages/ro.ts'
import { ru } from './languages/ru.ts'
import { sk } from './languages/sk.ts'
import { sl } from './languages/sl.ts'
import { sv } from './languages/sv.ts'
import { sw } from './languages/sw.ts'
import { th } from './languages/th.ts'
import { tr } from './languages/tr.ts'
import { uk } from './languages/uk.ts'
import { ur } from './languages/ur.ts'
import { vi } from './languages/vi.ts'
import { zh } from './languages/zh.ts'
import { zhTW } from './languages/zh-tw.ts'

const languages: Readonly<Record<string, Language>> = {
  ar,
  bg,
  bn,
  ca,
  cs,
  da,
  de,
  el,
  en,
  es,
  fa,
  fi,
  fil,
  fr,
  he,
  hi,
  hr,
  hu,
  id,
  it,
  ja,
  ko,
  ms,
  nb,
  nl,
  pl,
  pt,
  'pt-BR': ptBR,
  ro,
  ru,
  sk,
  sl,
  sv,
  sw,
  th,
  tr,
  uk,
  ur,
  vi,
  zh,
  'zh-TW': zhTW,
}

/** The languages whose texts we ship, as canonical BCP 47 tags. */
export const shippedLocales: readonly string[] = Object.keys(languages)

/** Takes one of `shippedLocales`, as `chooseLocale` gives it. */
export function getLanguage(locale: string): Language {
  const language = Object.hasOwn(languages, locale) ? languages[locale] : undefined
  if (language === undefined) throw new Error(`no texts are shipped for the locale ${locale}`)
  return language
}
