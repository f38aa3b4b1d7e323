import type { KeyKind } from '@countersign/contract'
import type { AnswerOf } from '#lib/client.ts'

export type Key = AnswerOf<'listKeys'>['keys'][number]

export const kindLabels: Readonly<Record<KeyKind, string>> = {
  server: 'Server',
  publishable: 'Publishable',
}

/** What a key of this kind may do, and what stops working when it is revoked. */
export const kindWords: Readonly<Record<KeyKind, { readonly may: string; readonly breaks: string }>> = {
  server: {
    may: 'For your backend. It can use the whole API: send, resend, verify, look up, preview, and exchange a device’s token for the recipient. Keep it secret.',
    breaks:
      'Whatever uses it can no longer start, check or look up verifications, or exchange tokens from devices.',
  },
  publishable: {
    may: 'For browsers and apps, where anyone can read it. It can send, resend, verify and see the state of its verification; nothing else, and with stricter rules.',
    breaks:
      'Pages and installed apps that use it can no longer start or check verifications until they get another key.',
  },
}
