/** Amounts as people read and type them. */

/** `0.050000` as `0.05`: zeros that say nothing are in the way of editing. */
export const trimAmount = (text: string): string =>
  text.includes('.') ? text.replace(/0+$/, '').replace(/\.$/, '') : text

const fewest = 2

/** How many decimals a column needs so that none of its amounts is cut. */
export const decimalsOf = (amounts: readonly string[]): number =>
  Math.max(fewest, ...amounts.map((text) => trimAmount(text).split('.')[1]?.length ?? 0))
