import { type ClassValue, clsx } from 'clsx'
import { extendTailwindMerge } from 'tailwind-merge'

/** Names of `styles.css` that Tailwind itself does not have. */
const merge = extendTailwindMerge({
  extend: { theme: { shadow: ['pop'], animate: ['appear', 'rise'] } },
})

/** Joins classes. Of two that say the same, the later one holds: a part's own look can be changed from outside. */
export const cx = (...parts: readonly ClassValue[]): string => merge(clsx(parts))
