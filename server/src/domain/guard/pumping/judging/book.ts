/** What the guard needs for a decision, in memory. It tracks what has changed, so that only that is written. */
import { advance, type Debt, debtReadAt, noDebt } from '../debt/debt.ts'
import { advanceFit, fitReadAt } from '../fit/count-fit.ts'
import { type Fit, noFit } from '../fit/fit.ts'
import { Notes } from '../history/notes.ts'
import { levelRules } from '../levels.ts'
import type { PlaceKey } from '../place.ts'
import { decodeDebt } from '../stored/debt-text.ts'
import { partIn } from '../stored/state-text.ts'

export class Book {
  /** Notes for the history that people look at. */
  readonly notes = new Notes()
  /** Rows as they were read, by their names. */
  readonly rows: ReadonlyMap<string, string>
  readonly #readAtMs: number
  readonly #debts = new Map<string, Debt>()
  #nothing = noDebt
  readonly #changed = new Map<string, PlaceKey>()
  readonly #fits = new Map<string, Fit>()
  readonly #changedFits = new Set<string>()

  constructor(rows: ReadonlyMap<string, string>, readAtMs: number) {
    this.rows = rows
    this.#readAtMs = readAtMs
  }

  /** Loads a stored debt, which does not count as a change. */
  load(name: string, debt: Debt): void {
    this.#debts.set(name, debt)
  }

  loadFit(appId: string, fit: Fit): void {
    this.#fits.set(appId, fitReadAt(fit, this.#readAtMs))
  }

  at(key: PlaceKey, nowMs: number): Debt {
    const known = this.#debts.get(key.name)
    if (known !== undefined && known.atMs >= nowMs) return known
    const stored = known ?? this.#read(key)
    const state = stored ? advance(stored, levelRules[key.level], nowMs) : this.#nothingAt(nowMs)
    this.#debts.set(key.name, state)
    return state
  }

  /** One object for all new places, so that the same charge to them is computed once. */
  #nothingAt(nowMs: number): Debt {
    if (this.#nothing.atMs !== nowMs) this.#nothing = { ...noDebt, atMs: nowMs }
    return this.#nothing
  }

  #read({ rowName, part }: PlaceKey): Debt | null {
    const row = this.rows.get(rowName)
    const text = row === undefined ? undefined : partIn(row, part)
    return text === undefined ? null : debtReadAt(decodeDebt(text), this.#readAtMs)
  }

  put(key: PlaceKey, debt: Debt): void {
    this.#debts.set(key.name, debt)
    // The keys of an approval have no label, so a key with a label, from an earlier decision, is kept.
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
