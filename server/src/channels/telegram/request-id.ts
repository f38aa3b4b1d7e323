import { z } from 'zod'

/** Null if there is none that can be read; a report may still name the message by our own id. */
export const requestId = z
  .union([z.string().min(1), z.number().int().transform(String)])
  .nullish()
  .catch(null)
  .transform((id) => id ?? null)
