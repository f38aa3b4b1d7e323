/** The debts that a decision needs, in memory; what was changed is known, so that only that is written. */
import { advance, type Debt, noDebt } from './debt.ts'
import { levelRules } from './levels.ts'
import type { PlaceKey } from './place.ts'

export class Book {
  readonly #debts = new Map<string, Debt>()
  readonly #changed = new Map<string, PlaceKey>()

  /** Loads a stored debt, which does not count as a change. */
  load(name: string, debt: Debt): void {
    this.#debts.set(name, debt)
  }

  at({ name, level }: PlaceKey, nowMs: number): Debt {
    const stored = this.#debts.get(name)
    const state = stored ? advance(stored, levelRules[level], nowMs) : { ...noDebt, atMs: nowMs }
    if (state !== stored) this.#debts.set(name, state)
    return state
  }

  put(key: PlaceKey, debt: Debt): void {
    this.#debts.set(key.name, debt)
    // An approval knows its keys without their labels; a decision that came before it knew them.
    if (key.label !== '' || !this.#changed.has(key.name)) this.#changed.set(key.name, key)
  }

  takeChanged(): { readonly key: PlaceKey; readonly debt: Debt }[] {
    const changed = [...this.#changed].map(([name, key]) => ({ key, debt: this.#debts.get(name) ?? noDebt }))
    this.#changed.clear()
    return changed
  }
}
