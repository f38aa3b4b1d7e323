/**
 * The texts of one language.
 *
 * An app's name is put in unchanged, in whatever script: no text may inflect it, or need an article, a case ending or an
 * elision that depends on it. In right-to-left languages a text starts with a word of that language or with the code, and
 * there is a word between code and name: digits next to a Latin name would join it and change sides.
 */
export interface Language {
  /** SMS and WhatsApp: the code comes early, with the app that it is for. Placeholders: `{code}` `{app}`. */
  readonly codeLine: string
  /** SMS and WhatsApp: left out if it would cost a second SMS segment. */
  readonly warning: string
  /** How long the code is valid, with `{minutes}`; the forms for one and two may spell the number out. */
  readonly expiry: PluralForms
  /** The email's subject, without the code, since subjects are logged along the way. Placeholder: `{app}`. */
  readonly subject: string
  /** The text of an email above the code. Placeholder: `{app}`. */
  readonly heading: string
  /** The text of an email below the code. */
  readonly notYou: string
  /** What a person sends from a `wa.me` link to the service: has `{app}`, and ends in a space and `{reference}`. */
  readonly linkText: string
}

type PluralForms = Readonly<Partial<Record<Intl.LDMLPluralRule, string>>> & { readonly other: string }
