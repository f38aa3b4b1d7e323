import type { TextRule } from '#contract'

/** Whether a text is what the contract takes. */
export const fitsRule = (
  text: string,
  { pattern, minLength = 0, maxLength = text.length }: TextRule,
): boolean => text.length >= minLength && text.length <= maxLength && new RegExp(pattern).test(text)
