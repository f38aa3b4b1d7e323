/** Bodies of what support does for one recipient. */
import { z } from 'zod'
import { shownException } from '../insight/insight.ts'
import { channelName, country, exceptionKind, writtenRecipient } from '../vocabulary.ts'

export const resendVerificationBody = z.strictObject({
  channel: channelName.nullish().meta({ description: 'Null: the next one in the order.' }),
})

export const exceptVerificationBody = z.strictObject({ kind: exceptionKind })

export const exceptRecipientBody = z.strictObject({
  recipient: writtenRecipient,
  country: country.nullish().meta({ description: 'Where a number without its calling code is dialled.' }),
  kind: exceptionKind,
})

export const exceptionsAnswer = z.object({
  exceptions: z.array(shownException),
  next_cursor: z.string().nullable(),
})

export const liftExceptionAnswer = z.object({ exception_id: z.string() })
