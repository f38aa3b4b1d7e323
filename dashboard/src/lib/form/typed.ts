/** What was typed, in the form that the API takes. */

/** An empty text is not sent; if the contract needs it, it then says that it is missing. */
export const givenText = (text: string): string | undefined => text.trim() || undefined

/** An empty field is no number, which the contract refuses. */
export const givenNumber = (value: number | null): number => value ?? Number.NaN
