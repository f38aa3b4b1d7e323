import type { Language } from '../language.ts'

/** Norwegian Bokmål. */
export const nb: Language = {
  codeLine: '{code} er koden din for {app}.',
  warning: 'Ikke del den med noen.',
  expiry: { one: 'Gyldig i {minutes} minutt.', other: 'Gyldig i {minutes} minutter.' },
  subject: 'Bekreftelseskoden din for {app}',
  heading: 'Skriv inn denne koden for å fortsette med {app}:',
  notYou: 'Hvis du ikke har bedt om denne koden, kan du se bort fra denne e-posten. Ikke del koden med noen.',
  linkText: 'Jeg vil bekrefte nummeret mitt hos {app}. Referanse: {reference}',
}
