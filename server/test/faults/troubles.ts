/** Records what was broken and when, for checks of what may happen only for a cause. */
export type TroubleKind =
  /** A process was killed. */
  | 'death'
  /** A process stood still, or could not reach the database. */
  | 'silence'
  /** Traffic between a node and an endpoint was lost or late. */
  | 'endpoint'

interface Trouble {
  readonly kind: TroubleKind
  readonly fromMs: number
  toMs: number
}

/** A node stops waiting for an answer after ten seconds, and a busy machine adds to that. */
const unheardMs = 12_000

export class Troubles {
  readonly #all: Trouble[] = []

  /** Returns a function that ends the trouble. */
  begin(kind: TroubleKind): () => void {
    const trouble = { kind, fromMs: Date.now(), toMs: Number.POSITIVE_INFINITY }
    this.#all.push(trouble)
    return () => {
      trouble.toMs = Date.now()
    }
  }

  /** Whether one of these happened between the two times, or shortly before. */
  wasThere(kinds: readonly TroubleKind[], fromMs: number, toMs: number): boolean {
    return this.#all.some(
      (each) => kinds.includes(each.kind) && each.fromMs <= toMs && each.toMs >= fromMs - unheardMs,
    )
  }
}
