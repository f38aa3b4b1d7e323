/** Which tables of this module expire, and how. */
import type { Kept } from '../../platform/kept.ts'

export const keptByAlerts: readonly Kept[] = [{ table: 'alert_notices', goes: 'by row' }]
