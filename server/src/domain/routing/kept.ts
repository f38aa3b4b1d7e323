/** Which tables of this module expire, and how. */
import type { Kept } from '../../platform/kept.ts'

export const keptByRouting: readonly Kept[] = [
  { table: 'provider_minutes', goes: 'by row' },
  { table: 'provider_states', goes: 'by row' },
  { table: 'route_counts', goes: 'by row' },
]
