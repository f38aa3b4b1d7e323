/** Light, dark, or what the system says. `public/theme.js` applies the choice before the first paint. */
import { useSyncExternalStore } from 'react'
import { readStored, writeStored } from './storage.ts'

export const themes = ['system', 'light', 'dark'] as const
export type Theme = (typeof themes)[number]

const key = 'theme'
const listeners = new Set<() => void>()
const systemIsDark = matchMedia('(prefers-color-scheme: dark)')

const currentTheme = (): Theme => themes.find((theme) => theme === readStored(key)) ?? 'system'

function applyTheme(): void {
  const theme = currentTheme()
  const isDark = theme === 'dark' || (theme === 'system' && systemIsDark.matches)
  document.documentElement.dataset.theme = isDark ? 'dark' : 'light'
}
systemIsDark.addEventListener('change', applyTheme)

export function setTheme(theme: Theme): void {
  writeStored(key, theme)
  applyTheme()
  for (const listener of listeners) listener()
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export const useTheme = (): Theme => useSyncExternalStore(subscribe, currentTheme)
