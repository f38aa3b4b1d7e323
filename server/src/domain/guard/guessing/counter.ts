import type { GuessCount } from './guessing.ts'

export interface AppGuesses extends GuessCount {
  readonly appId: string
}

/** The guesses of one node since they were last written down: a row that all guesses wrote to would be a hot one. */
export class GuessCounter {
  #counts = new Map<string, AppGuesses>()

  readonly count = (appId: string, isMatch: boolean): void =>
    this.#add({ appId, guesses: 1, failures: isMatch ? 0 : 1 })

  take(): AppGuesses[] {
    const taken = [...this.#counts.values()]
    this.#counts = new Map()
    return taken
  }

  /** What could not be written down. */
  putBack(counts: readonly AppGuesses[]): void {
    for (const count of counts) this.#add(count)
  }

  #add({ appId, guesses, failures }: AppGuesses): void {
    const known = this.#counts.get(appId) ?? { guesses: 0, failures: 0 }
    const sum = { appId, guesses: known.guesses + guesses, failures: known.failures + failures }
    this.#counts.set(appId, sum)
  }
}
