/**
 * What places owed and held back, for people to look at: noted while the calls of a batch are judged, and written with
 * the batch. No decision depends on these notes.
 */
import { isParent } from '../debt/barrier.ts'
import type { Debt } from '../debt/debt.ts'
import { probationMs } from '../levels.ts'
import type { ClosableKey, PlaceKey } from '../place.ts'
import { isClosable } from '../place.ts'

export interface Note {
  readonly appId: string
  readonly key: ClosableKey
  /** At the worst moment: what the place owed, and the threshold at which it closes. */
  readonly debt: number
  readonly threshold: number
  /** Sends that were held back, and those that would have been if the guard did more than watch. */
  readonly held: number
  readonly watched: number
  /** What the held and watched sends would have cost. */
  readonly heldMicros: bigint
  readonly watchedMicros: bigint
}

const nothingHeld = { held: 0, watched: 0, heldMicros: 0n, watchedMicros: 0n }

/** A send that is held back, or would be if the guard did more than watch, and its price. */
export interface HeldBack {
  readonly isWatched: boolean
  readonly priceMicros: bigint
}

/** Below this share of its threshold a place is as good as free of debt, and is not noted. */
const notableShare = 0.25

export class Notes {
  readonly #notes = new Map<string, Note>()

  /** Called after a charge. Ranges and addresses are noted only when they close: there are too many of them. */
  owe(
    appId: string,
    key: PlaceKey,
    state: Debt,
    owed: { debt: number; threshold: number; isClosing: boolean },
  ) {
    if (!isClosable(key) || key.label === '') return
    const { debt, threshold, isClosing } = owed
    const wasClosed = state.strikes > 0 && state.atMs - state.struckAtMs < probationMs
    const isNotable = isParent(key.level) && (wasClosed || debt >= notableShare * threshold)
    if (isClosing || isNotable) this.#add({ appId, key, debt, threshold, ...nothingHeld })
  }

  holdBack(
    appId: string,
    key: ClosableKey,
    owed: { debt: number; threshold: number },
    { isWatched, priceMicros }: HeldBack,
  ) {
    const one = isWatched ? { watched: 1, watchedMicros: priceMicros } : { held: 1, heldMicros: priceMicros }
    this.#add({ appId, key, ...owed, ...nothingHeld, ...one })
  }

  take(): Note[] {
    const notes = [...this.#notes.values()]
    this.#notes.clear()
    return notes
  }

  #add(note: Note): void {
    const name = `${note.appId} ${note.key.name}`
    const before = this.#notes.get(name)
    this.#notes.set(name, before ? together(before, note) : note)
  }
}

function together(one: Note, other: Note): Note {
  const worse = other.debt * one.threshold > one.debt * other.threshold ? other : one
  return {
    ...other,
    debt: worse.debt,
    threshold: worse.threshold,
    held: one.held + other.held,
    watched: one.watched + other.watched,
    heldMicros: one.heldMicros + other.heldMicros,
    watchedMicros: one.watchedMicros + other.watchedMicros,
  }
}
