/** Which tables of this module expire, and how. */
import type { Kept } from '../../platform/kept.ts'

export const keptByDelivery: readonly Kept[] = [
  { table: 'deliveries', goes: 'by day' },
  { table: 'early_receipts', goes: 'by row' },
  { table: 'unreachable', goes: 'by row' },
  { table: 'workers', goes: 'by row' },
]
