/** One request, which can be repeated. */
export interface Case {
  /** Describes the request in a report of its failure. */
  readonly said: string
  /** Resolves to what is wrong with the answer, or null. */
  readonly run: () => Promise<string | null>
}
