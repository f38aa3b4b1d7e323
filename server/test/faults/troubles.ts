/** What was broken and when, so that what may happen only for a cause is held against one. */
export type TroubleKind =
  /** A process was killed. */
  | 'death'
  /** A process stood still, or could not reach the database. */
  | 'silence'
  /** What goes between a node and an endpoint did not arrive, or late. */
  | 'endpoint'

interface Trouble {
  readonly kind: TroubleKind
  readonly fromMs: number
  toMs: number
}

/** A node ends what it waits for after so long, and a busy machine puts as much again between. */
const unheardMs = 12_000

export class Troubles {
  readonly #all: Trouble[] = []

  /** Returns what says that it is over. */
  begin(kind: TroubleKind): () => void {
    const trouble = { kind, fromMs: Date.now(), toMs: Number.POSITIVE_INFINITY }
    this.#all.push(trouble)
    return () => {
      trouble.toMs = Date.now()
    }
  }

  /** Whether one of these was there between the two times, or shortly before. */
  wasThere(kinds: readonly TroubleKind[], fromMs: number, toMs: number): boolean {
    return this.#all.some(
      (each) => kinds.includes(each.kind) && each.fromMs <= toMs && each.toMs >= fromMs - unheardMs,
    )
  }
}
