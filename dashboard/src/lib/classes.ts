import { type ClassValue, clsx } from 'clsx'
import { extendTailwindMerge } from 'tailwind-merge'

/** Names of `styles.css` that Tailwind itself does not have. */
const merge = extendTailwindMerge({
  extend: { theme: { shadow: ['pop'], animate: ['appear', 'rise'] } },
})

/** Joins classes. Of two that set the same property the later wins, so that a component can be restyled from outside. */
export const cx = (...parts: readonly ClassValue[]): string => merge(clsx(parts))
