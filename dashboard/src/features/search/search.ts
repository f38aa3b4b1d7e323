import type { SearchProblem } from '@countersign/contract'

export interface PersonSearch {
  /** Shows only what went wrong in this way. */
  readonly problem?: SearchProblem | undefined
}

const problems: readonly SearchProblem[] = ['failed_delivery', 'error', 'refusal']

export const parsePersonSearch = (search: Record<string, unknown>): PersonSearch => ({
  problem: problems.find((problem) => problem === search.problem),
})
