/** Which tables of this module expire, and how. */
import type { Kept } from '../../platform/kept.ts'

export const keptByGuard: readonly Kept[] = [
  { table: 'guess_counts', goes: 'by row' },
  { table: 'guess_alarms', goes: 'by row' },
  { table: 'pumping_states', goes: 'by row' },
  { table: 'pumping_acquaintances', goes: 'by row' },
  { table: 'pumping_approvals', goes: 'by row' },
  { table: 'pumping_history', goes: 'by row' },
]
