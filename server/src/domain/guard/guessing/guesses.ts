import type { AppRef } from '../../tenancy/index.ts'
import type { GuessCount } from './guessing.ts'

export interface AppGuesses extends GuessCount, AppRef {}

/** Counts guesses in memory until they are written together: written one by one, all would wait for the same row. */
export class Guesses {
  #counts = new Map<string, AppGuesses>()

  readonly count = ({ companyId, appId }: AppRef, isMatch: boolean): void =>
    this.#add({ companyId, appId, guesses: 1, failures: isMatch ? 0 : 1 })

  take(): AppGuesses[] {
    const taken = [...this.#counts.values()]
    this.#counts = new Map()
    return taken
  }

  /** Puts back counts that could not be written, so that the next write includes them. */
  putBack(counts: readonly AppGuesses[]): void {
    for (const count of counts) this.#add(count)
  }

  #add({ companyId, appId, guesses, failures }: AppGuesses): void {
    const known = this.#counts.get(appId) ?? { guesses: 0, failures: 0 }
    const sum = { companyId, appId, guesses: known.guesses + guesses, failures: known.failures + failures }
    this.#counts.set(appId, sum)
  }
}
