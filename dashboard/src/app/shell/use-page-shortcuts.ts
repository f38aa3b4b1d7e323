import { useNavigate } from '@tanstack/react-router'
import { useEffect } from 'react'
import { useMe } from '#lib/session.ts'
import { isBusy, shortcutKey, useShortcuts } from '#lib/shortcuts.ts'
import { accountPage, appPages, companyPages, operatorPages } from '../navigation.ts'
import type { Place } from '../place.ts'

interface Overlays {
  readonly openPalette: () => void
  readonly openShortcuts: () => void
}

export function usePageShortcuts({ app, company }: Place, { openPalette, openShortcuts }: Overlays): void {
  const navigate = useNavigate()
  const me = useMe()
  const actions: Record<string, () => void> = { '?': openShortcuts, '/': openPalette }
  actions[accountPage.keys] = () => void navigate({ to: accountPage.to })
  for (const { keys, to } of app ? appPages : []) {
    actions[keys] = () => void navigate({ to, params: { appId: app?.app_id ?? '' } })
  }
  for (const { keys, to } of company ? companyPages : []) {
    actions[keys] = () => void navigate({ to, params: { companyId: company?.company_id ?? '' } })
  }
  for (const { keys, to } of me.is_operator ? operatorPages : []) {
    actions[keys] = () => void navigate({ to })
  }
  useShortcuts(actions)
}

/** Ctrl-K or ⌘K works also while typing, but not over a dialog, which may show something only once, such as a key. */
export function usePaletteKey(isOpen: boolean, toggle: () => void): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (shortcutKey(event).toLowerCase() !== 'k' || !(event.metaKey || event.ctrlKey)) return
      event.preventDefault()
      if (isOpen || !isBusy()) toggle()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [isOpen, toggle])
}
