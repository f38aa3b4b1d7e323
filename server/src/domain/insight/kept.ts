/** Which tables of this module expire, and how. */
import type { Kept } from '../../platform/kept.ts'

export const keptByInsight: readonly Kept[] = [
  { table: 'figures', goes: 'by row' },
  { table: 'way_figures', goes: 'by row' },
  { table: 'call_errors', goes: 'by row' },
  { table: 'call_error_counts', goes: 'by row' },
]
