/** A change of settings: what is left out stays, and null restores the default, at any depth. */
import { z } from 'zod'

/** Lists and values are replaced whole. */
function changeOf(schema: z.ZodType): z.ZodType {
  if (
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault ||
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable
  ) {
    const inner = schema.unwrap()
    return inner instanceof z.ZodType ? changeOf(inner) : schema
  }
  if (schema instanceof z.ZodObject) return z.strictObject(changesOf(schema.shape))
  if (schema instanceof z.ZodRecord && schema.valueType instanceof z.ZodType)
    return z.record(schema.keyType, changeOf(schema.valueType).nullable())
  return schema
}

export const changesOf = (shape: Readonly<Record<string, unknown>>): Record<string, z.ZodType> =>
  Object.fromEntries(
    Object.entries(shape).flatMap(([name, field]) =>
      field instanceof z.ZodType ? [[name, changeOf(field).nullable().optional().meta(wordsOf(field))]] : [],
    ),
  )

/** The description of a setting also applies to its change; its schema name does not. */
function wordsOf(field: z.ZodType): Record<string, unknown> {
  const { id: _, ...words } = field.meta() ?? {}
  return words
}
