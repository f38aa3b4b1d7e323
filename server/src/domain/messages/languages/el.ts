import type { Language } from '../language.ts'

/** Greek. */
export const el: Language = {
  codeLine: '{code} είναι ο κωδικός για {app}.',
  warning: 'Μην τον δώσετε σε κανέναν.',
  expiry: { one: 'Ισχύει για {minutes} λεπτό.', other: 'Ισχύει για {minutes} λεπτά.' },
  subject: 'Ο κωδικός επαλήθευσης για {app}',
  heading: 'Για να συνεχίσετε στο {app}, εισαγάγετε αυτόν τον κωδικό:',
  notYou: 'Αν δεν ζητήσατε αυτόν τον κωδικό, αγνοήστε αυτό το email. Μην τον δώσετε σε κανέναν.',
  linkText: 'Θέλω να επαληθεύσω τον αριθμό μου για {app}. Αναφορά: {reference}',
}
