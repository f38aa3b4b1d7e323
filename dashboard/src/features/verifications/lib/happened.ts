/** Verifications and refusals in one list, newest first. */
import type { ListedRefusal, ListedVerification } from '@countersign/contract'

export type Happened =
  | { readonly kind: 'started'; readonly row: ListedVerification }
  | { readonly kind: 'refused'; readonly row: ListedRefusal }

/** One of the two lists, as far as it has been read. */
export interface Part<Row> {
  readonly rows: readonly Row[]
  /** Null if the list has been read to its end; otherwise it is complete down to this time. */
  readonly readTo: string | null
}

/** Both lists, down to where both are complete. Older rows wait until the other list has been read as far. */
export function mergeParts(
  started: Part<ListedVerification>,
  refused: Part<ListedRefusal>,
): { readonly rows: readonly Happened[]; readonly behind: Happened['kind'] | null } {
  const rows: Happened[] = [
    ...started.rows.map((row) => ({ kind: 'started', row }) as const),
    ...refused.rows.map((row) => ({ kind: 'refused', row }) as const),
  ]
  const edge = [started.readTo, refused.readTo].reduce(later)
  const shown = rows
    .filter(({ row }) => edge === null || row.created_at >= edge)
    .sort((one, other) => compare(other.row.created_at, one.row.created_at))
  return { rows: shown, behind: edge === null ? null : edge === refused.readTo ? 'refused' : 'started' }
}

const compare = (one: string, other: string) => (one < other ? -1 : one > other ? 1 : 0)

function later(one: string | null, other: string | null): string | null {
  if (one === null || other === null) return one ?? other
  return one > other ? one : other
}
