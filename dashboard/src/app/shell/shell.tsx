import { Outlet, useLocation, useParams } from '@tanstack/react-router'
import { Suspense, useEffect, useRef, useState } from 'react'
import { SkeletonPage } from '#components/ui/skeleton.tsx'
import { TitlePlace } from '#lib/title.ts'
import { type Place, usePlace } from '../place.ts'
import { CommandPalette } from './command-palette.tsx'
import { LeaveQuestion } from './leave-question.tsx'
import { ProofDialog } from './proof-dialog.tsx'
import { ShortcutsDialog } from './shortcuts-dialog.tsx'
import { Sidebar } from './sidebar.tsx'
import { TopBar } from './top-bar.tsx'
import { UnreachableNotice } from './unreachable-notice.tsx'
import { useKeptFocus } from './use-kept-focus.ts'
import { usePageShortcuts, usePaletteKey } from './use-page-shortcuts.ts'

export function Shell() {
  const place = usePlace()
  const [overlay, setOverlay] = useState<'palette' | 'shortcuts' | null>(null)
  const openPalette = () => setOverlay('palette')
  const openShortcuts = () => setOverlay('shortcuts')
  const isPalette = overlay === 'palette'
  usePaletteKey(isPalette, () => setOverlay(isPalette ? null : 'palette'))
  usePageShortcuts(place, { openPalette, openShortcuts })
  const main = useFocusOnMove()
  useKeptFocus(main)

  const sidebar = <Sidebar place={place} onSearch={openPalette} onShortcuts={openShortcuts} />
  return (
    <div className="min-h-dvh print:block lg:grid lg:grid-cols-[15.5rem_minmax(0,1fr)]">
      <a
        href="#content"
        className="sr-only z-50 rounded-md bg-surface px-3 py-2 focus:not-sr-only focus:fixed focus:top-2 focus:left-2"
      >
        Skip to content
      </a>
      <aside className="sticky top-0 hidden h-dvh border-r bg-page lg:block print:hidden">{sidebar}</aside>
      <TopBar place={place} onSearch={openPalette}>
        {sidebar}
      </TopBar>
      <main ref={main} id="content" tabIndex={-1} className="min-w-0 outline-none">
        <Suspense fallback={<SkeletonPage />}>
          <TitlePlace value={useNameInAddress(place)}>
            <Outlet />
          </TitlePlace>
        </Suspense>
        <UnreachableNotice />
      </main>
      <LeaveQuestion />
      <ProofDialog />
      {isPalette && (
        <CommandPalette place={place} onClose={() => setOverlay(null)} onShortcuts={openShortcuts} />
      )}
      <ShortcutsDialog
        isOpen={overlay === 'shortcuts'}
        onOpenChange={(isOpen) => setOverlay(isOpen ? 'shortcuts' : null)}
      />
    </div>
  )
}

/** Only what the address names, not the app used last: an operator's pages are about all companies. */
function useNameInAddress({ app, company }: Place): string | null {
  const { appId, companyId } = useParams({ strict: false })
  if (appId) return app?.app_id === appId ? app.name : null
  return companyId && company?.company_id === companyId ? company.name : null
}

/** After a move to another page, the keyboard and the screen reader start at its content, as after a full load. */
function useFocusOnMove() {
  const main = useRef<HTMLElement>(null)
  const { pathname } = useLocation()
  const before = useRef(pathname)
  useEffect(() => {
    if (before.current === pathname) return
    before.current = pathname
    main.current?.focus({ preventScroll: true })
  }, [pathname])
  return main
}
