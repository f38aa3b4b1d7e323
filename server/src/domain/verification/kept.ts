/** Which tables of this module expire, and how. */
import type { Kept } from '../../platform/kept.ts'

export const keptByVerification: readonly Kept[] = [
  // `expires_at` is when the code expires; the row is kept for longer.
  { table: 'verifications', goes: 'by day' },
  { table: 'decisions', goes: 'by day' },
  { table: 'refusals', goes: 'by day' },
  { table: 'refusal_counts', goes: 'by row' },
  { table: 'idempotency_keys', goes: 'by row' },
  { table: 'limits', goes: 'by row' },
  { table: 'tokens', goes: 'by row' },
  { table: 'links', goes: 'by row' },
  { table: 'exceptions', goes: 'by row' },
  { table: 'canaries', goes: 'by row' },
]
