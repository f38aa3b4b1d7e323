/** How sections are indexed at build time and found in the browser: both sides must agree. */
import type { Options } from 'minisearch'

export interface Found {
  readonly address: string
  readonly title: string
  readonly heading: string
  readonly excerpt: string
}

export const searchOptions: Options<Found & { id: number; text: string }> = {
  fields: ['heading', 'title', 'text'],
  storeFields: ['address', 'title', 'heading', 'excerpt'],
  // Names of fields and errors are found both whole and by their parts.
  tokenize: (text) =>
    text.split(/[\s"'`(){}[\],;:|<>=]+/).flatMap((word) => {
      const bare = word.replace(/^[./-]+|[./-]+$/g, '')
      const parts = bare.split(/[_./-]|(?<=[a-z])(?=[A-Z])/).filter((part) => part.length > 1)
      return parts.length > 1 ? [bare, ...parts] : [bare]
    }),
  processTerm: (term) => (term.length > 40 || term === '' ? null : term.toLowerCase()),
  searchOptions: { boost: { heading: 4, title: 2 }, prefix: true, fuzzy: 0.15, combineWith: 'AND' },
}
