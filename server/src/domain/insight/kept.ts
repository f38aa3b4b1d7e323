/** What goes by itself, and how. */
import type { Kept } from '../../platform/kept.ts'

export const keptByInsight: readonly Kept[] = [{ table: 'figures', goes: 'by row' }]
