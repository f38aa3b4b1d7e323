/** Every kind of provider there is. */
import { smpp } from './smpp/index.ts'
import { smtp } from './smtp/index.ts'
import { telegram } from './telegram/index.ts'
import { twilio } from './twilio/index.ts'
import { whatsapp } from './whatsapp/index.ts'

export const providerKinds = { smpp, smtp, telegram, twilio, whatsapp } as const
