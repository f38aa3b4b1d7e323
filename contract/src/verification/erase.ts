/** Bodies of forgetting one recipient. */
import { z } from 'zod'
import { country, writtenRecipient } from '../vocabulary.ts'

export const eraseBody = z.strictObject({
  recipient: writtenRecipient,
  country: country.nullish().meta({ description: 'Where a number without its calling code is dialled.' }),
})
export const eraseAnswer = z.object({ verifications: z.int() })
