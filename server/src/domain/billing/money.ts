/** Money is counted in micro-units, and written as decimal strings. */
const microsPerUnit = 1_000_000n

/** Takes a text that the contract has checked: at most six decimals. */
export function parseMicros(text: string): bigint {
  const isNegative = text.startsWith('-')
  const [units = '0', decimals = ''] = text.replace('-', '').split('.')
  const micros = BigInt(units) * microsPerUnit + BigInt(decimals.padEnd(6, '0'))
  return isNegative ? -micros : micros
}

export function formatMicros(micros: bigint): string {
  const absolute = micros < 0n ? -micros : micros
  const decimals = String(absolute % microsPerUnit).padStart(6, '0')
  return `${micros < 0n ? '-' : ''}${absolute / microsPerUnit}.${decimals}`
}

/** Formats a computed amount that is not a whole number of micros. */
export const formatNearest = (micros: number): string => formatMicros(BigInt(Math.round(micros)))

/**
 * The amount as people and pages write it: at least two decimals, and up to six that are not zero. It is passed on as
 * text, since a number would round very large amounts.
 */
export const sayAmount = (micros: bigint, currency: string): string =>
  new Intl.NumberFormat('en', {
    style: 'currency',
    currency,
    minimumFractionDigits: 2,
    maximumFractionDigits: 6,
  }).format(formatMicros(micros) as `${number}`)
