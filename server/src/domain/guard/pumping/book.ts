/** The debts that a decision needs, in memory; what was changed is known, so that only that is written. */
import { advance, type Debt, noDebt } from './debt.ts'
import { levelRules } from './levels.ts'
import type { PlaceKey } from './place.ts'

const nameOf = ({ row, part }: PlaceKey) => `${row}/${part}`

export class Book {
  readonly #debts = new Map<string, Debt>()
  readonly #changed = new Map<string, PlaceKey>()

  /** As stored, without counting as a change. */
  load(key: Pick<PlaceKey, 'row' | 'part'>, debt: Debt): void {
    this.#debts.set(`${key.row}/${key.part}`, debt)
  }

  at(key: PlaceKey, nowMs: number): Debt {
    const stored = this.#debts.get(nameOf(key))
    return stored ? advance(stored, levelRules[key.level], nowMs) : { ...noDebt, atMs: nowMs }
  }

  put(key: PlaceKey, debt: Debt): void {
    const name = nameOf(key)
    this.#debts.set(name, debt)
    // An approval knows its keys without their labels; a decision that came before it knew them.
    if (key.label !== '' || !this.#changed.has(name)) this.#changed.set(name, key)
  }

  takeChanged(): { readonly key: PlaceKey; readonly debt: Debt }[] {
    const changed = [...this.#changed].map(([name, key]) => ({ key, debt: this.#debts.get(name) ?? noDebt }))
    this.#changed.clear()
    return changed
  }
}
