/** What a decision needs, in memory; what was changed is known, so that only that is written. */
import { advance, type Debt, noDebt } from './debt.ts'
import { advanceFit, type Fit, noFit } from './fit.ts'
import { levelRules } from './levels.ts'
import { Notes } from './notes.ts'
import type { PlaceKey } from './place.ts'

export class Book {
  /** For people to look at. */
  readonly notes = new Notes()
  readonly #debts = new Map<string, Debt>()
  readonly #changed = new Map<string, PlaceKey>()
  readonly #fits = new Map<string, Fit>()
  readonly #changedFits = new Set<string>()

  /** Loads a stored debt, which does not count as a change. */
  load(name: string, debt: Debt): void {
    this.#debts.set(name, debt)
  }

  loadFit(appId: string, fit: Fit): void {
    this.#fits.set(appId, fit)
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

  fitOf(appId: string, nowMs: number): Fit {
    const fit = advanceFit(this.#fits.get(appId) ?? noFit, nowMs)
    this.#fits.set(appId, fit)
    return fit
  }

  putFit(appId: string, fit: Fit): void {
    this.#fits.set(appId, fit)
    this.#changedFits.add(appId)
  }

  takeChanged(): { readonly key: PlaceKey; readonly debt: Debt }[] {
    const changed = [...this.#changed].map(([name, key]) => ({ key, debt: this.#debts.get(name) ?? noDebt }))
    this.#changed.clear()
    return changed
  }

  takeChangedFits(): { readonly appId: string; readonly fit: Fit }[] {
    const changed = [...this.#changedFits].map((appId) => ({ appId, fit: this.#fits.get(appId) ?? noFit }))
    this.#changedFits.clear()
    return changed
  }
}
