import { z } from 'zod'

/** The forms that a body may have: one, or one for each kind. */
export function formsOf(schema: z.ZodType | undefined): readonly z.ZodObject[] {
  if (schema instanceof z.ZodObject) return [schema]
  if (!(schema instanceof z.ZodUnion)) return []
  return schema.options.flatMap((option) => (option instanceof z.ZodType ? formsOf(option) : []))
}

/** The fields that any form of a body has. */
export const fieldsOf = (schema: z.ZodType | undefined): readonly string[] => [
  ...new Set(formsOf(schema).flatMap((form) => Object.keys(form.shape))),
]
