import type { Language } from '../language.ts'

/** Finnish. «Palvelu» (service) takes the case endings that the name cannot. */
export const fi: Language = {
  codeLine: '{code} on koodisi palveluun {app}.',
  warning: 'Älä kerro sitä muille.',
  expiry: { one: 'Voimassa {minutes} minuutin.', other: 'Voimassa {minutes} minuuttia.' },
  subject: 'Vahvistuskoodisi palveluun {app}',
  heading: 'Jatka palveluun {app} antamalla tämä koodi:',
  notYou: 'Jos et pyytänyt tätä koodia, voit jättää tämän viestin huomiotta. Älä kerro koodia kenellekään.',
  linkText: 'Haluan vahvistaa numeroni palvelussa {app}. Viite: {reference}',
}
