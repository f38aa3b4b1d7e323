import type { KeyKind } from '@countersign/contract'
import type { AnswerOf } from '#lib/client.ts'

export type Key = AnswerOf<'listKeys'>['keys'][number]

export const kindLabels: Readonly<Record<KeyKind, string>> = {
  server: 'Server',
  publishable: 'Publishable',
}

/** What a key of this kind may do, and what stops when it goes. */
export const kindWords: Readonly<Record<KeyKind, { readonly may: string; readonly breaks: string }>> = {
  server: {
    may: 'For your backend. It may do all of the API: send, resend, verify, look up, preview, and exchange a device’s token for the recipient. Keep it secret.',
    breaks:
      'Whatever calls the service with it can no longer start, check or look up verifications, nor exchange tokens that devices hand in.',
  },
  publishable: {
    may: 'For browsers and apps, where everybody can read it. It may send, resend, verify, and see where its verification stands; nothing else, and within tighter rules.',
    breaks:
      'Every page and every installed app that carries it can no longer start or check verifications until it is given another key.',
  },
}
