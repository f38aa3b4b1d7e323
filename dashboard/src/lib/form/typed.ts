/** What was typed as the API has it. */

/** Nothing typed is nothing given; what the contract needs it then asks for. */
export const givenText = (text: string): string | undefined => text.trim() || undefined

/** An empty field is no number, which the contract refuses. */
export const givenNumber = (value: number | null): number => value ?? Number.NaN
