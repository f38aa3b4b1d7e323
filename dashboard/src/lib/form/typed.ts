/** What was typed, in the form that the API takes. */

/** An empty text is not sent. If the contract requires it, it is then reported as missing. */
export const givenText = (text: string): string | undefined => text.trim() || undefined

/** An empty field becomes NaN, which the contract refuses. */
export const givenNumber = (value: number | null): number => value ?? Number.NaN
