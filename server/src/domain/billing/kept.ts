/** Which tables of this module expire, and how. */
import type { Kept } from '../../platform/kept.ts'

export const keptByBilling: readonly Kept[] = [
  { table: 'spend_counters', goes: 'by row' },
  { table: 'spend_notes', goes: 'by row' },
]
