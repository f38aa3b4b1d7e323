/** Amounts as people read and type them. */

/** `0.050000` as `0.05`: trailing zeros are in the way of editing. */
export const trimAmount = (text: string): string =>
  text.includes('.') ? text.replace(/0+$/, '').replace(/\.$/, '') : text

const fewest = 2

/** How many decimals a column needs so that none of its amounts is cut. */
export const decimalsOf = (amounts: readonly string[]): number =>
  Math.max(fewest, ...amounts.map((text) => trimAmount(text).split('.')[1]?.length ?? 0))

const microDigits = 6

/** Exactly, as the service counts: in millionths. */
export function addAmounts(one: string, other: string): string {
  return amountOf(microsOf(one) + microsOf(other))
}

export const timesAmount = (amount: string, count: number): string =>
  amountOf(microsOf(amount) * BigInt(count))

function amountOf(micros: bigint): string {
  const digits = String(micros < 0n ? -micros : micros).padStart(microDigits + 1, '0')
  return `${micros < 0n ? '-' : ''}${digits.slice(0, -microDigits)}.${digits.slice(-microDigits)}`
}

function microsOf(amount: string): bigint {
  const [units = '0', decimals = ''] = amount.replace('-', '').split('.')
  const micros = BigInt(units + decimals.padEnd(microDigits, '0').slice(0, microDigits))
  return amount.startsWith('-') ? -micros : micros
}
