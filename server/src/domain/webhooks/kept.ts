/** Which tables of this module expire, and how. */
import type { Kept } from '../../platform/kept.ts'

export const keptByWebhooks: readonly Kept[] = [
  { table: 'events', goes: 'by day' },
  { table: 'event_attempts', goes: 'by day' },
]
