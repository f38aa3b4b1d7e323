/**
 * A carrier may give a message's id in hexadecimal in its response and in decimal in the receipt, or the other way
 * round, with or without leading zeros (SMPP 3.3 and 3.4 differ, and carriers mix them).
 */

export const ID_FORMATS = ['same', 'decimal-to-hex', 'hex-to-decimal'] as const
export type IdFormat = (typeof ID_FORMATS)[number]

/** SMPP 3.4 §5.2.23: 65 bytes including the NUL. */
const MAX_ID_LENGTH = 64

/** Null for an empty id. */
export function canonicalMessageId(raw: string): string | null {
  const trimmed = raw.trim().slice(0, MAX_ID_LENGTH).toLowerCase()
  return trimmed === '' ? null : trimmed.replace(/^0+(?=.)/, '')
}

/** The id that the response had, if the carrier converts ids in this way; null if this id cannot be converted. */
export function convertMessageId(raw: string, format: IdFormat): string | null {
  const id = canonicalMessageId(raw)
  if (id === null || format === 'same') return id
  if (format === 'decimal-to-hex') return /^\d+$/.test(id) ? BigInt(id).toString(16) : null
  return /^[0-9a-f]+$/.test(id) ? BigInt(`0x${id}`).toString(10) : null
}

/** Every canonical id that the message of a receipt may have, the likeliest first. */
export function receiptMessageIds(raw: string): string[] {
  return [...new Set(ID_FORMATS.flatMap((format) => convertMessageId(raw, format) ?? []))]
}
