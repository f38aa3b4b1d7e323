/** Amounts as people type them, before the service sees them. */
const amountText = /^\d{1,12}(\.\d{1,6})?$/

export const amountProblem = (text: string): string | undefined =>
  amountText.test(text) ? undefined : 'Enter an amount such as 12.50, with at most six decimals'

export const positiveAmountProblem = (text: string): string | undefined =>
  amountProblem(text) ?? (/[1-9]/.test(text) ? undefined : 'Enter an amount above zero')

/** `0.050000` as `0.05`: zeros that say nothing are in the way of editing. */
export const trimAmount = (text: string): string =>
  text.includes('.') ? text.replace(/0+$/, '').replace(/\.$/, '') : text

const fewest = 2

/** How many decimals a column needs so that none of its amounts is cut. */
export const decimalsOf = (amounts: readonly string[]): number =>
  Math.max(fewest, ...amounts.map((text) => trimAmount(text).split('.')[1]?.length ?? 0))
