/** One thing that is asked, good for being asked again. */
export interface Case {
  /** What is asked, for whoever reads of its failure. */
  readonly said: string
  /** Resolves with what is wrong with the answer; null where it is as it should be. */
  readonly run: () => Promise<string | null>
}
