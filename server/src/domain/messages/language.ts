/**
 * The texts of one language.
 *
 * An app's name is put in unchanged, in whatever script: no text may inflect it, or need an article, a case ending or an
 * elision that depends on it. In right-to-left languages a text starts with a word of that language or with the code, and
 * there is a word between code and name: digits next to a Latin name would join it and change sides.
 */
export interface Language {
  /** SMS and WhatsApp: the code early, and whose it is. `{code}` `{app}` */
  readonly codeLine: string
  /** SMS and WhatsApp: left out if it would cost a second SMS segment. */
  readonly warning: string
  /** With `{minutes}`; the forms for one and two may spell the number out. */
  readonly expiry: PluralForms
  /** Email, without the code: subjects are logged along the way. `{app}` */
  readonly subject: string
  /** Email, above the code. `{app}` */
  readonly heading: string
  /** Email, below the code. */
  readonly notYou: string
  /** What a person sends to us from a `wa.me` link. `{app}`, and `{reference}` at the end after a space */
  readonly linkText: string
}

export type PluralForms = Readonly<Partial<Record<Intl.LDMLPluralRule, string>>> & { readonly other: string }
