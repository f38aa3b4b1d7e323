import { z } from 'zod'

/** The object schemas that a body may match: one, or one per kind. */
export function formsOf(schema: z.ZodType | undefined): readonly z.ZodObject[] {
  if (schema instanceof z.ZodObject) return [schema]
  if (!(schema instanceof z.ZodUnion)) return []
  return schema.options.flatMap((option) => (option instanceof z.ZodType ? formsOf(option) : []))
}

/** The fields of all forms of a body. */
export const fieldsOf = (schema: z.ZodType | undefined): readonly string[] => [
  ...new Set(formsOf(schema).flatMap((form) => Object.keys(form.shape))),
]
