import { useLocation } from '@tanstack/react-router'
import MenuIcon from 'lucide-react/icons/menu'
import Search from 'lucide-react/icons/search'
import { Content, Overlay, Portal, Root, Title, Trigger } from 'radix-ui/dialog'
import { type ReactNode, useEffect, useState } from 'react'
import { IconButton } from '#components/ui/button.tsx'
import { overlayClass } from '#components/ui/panel.ts'
import type { Place } from '../place.ts'

interface TopBarProps {
  readonly place: Place
  readonly onSearch: () => void
  /** The sidebar, which slides in from the side. */
  readonly children: ReactNode
}

/** Replaces the sidebar where there is no room for it. */
export function TopBar({ place, onSearch, children }: TopBarProps) {
  const [isOpen, setOpen] = useState(false)
  const { pathname } = useLocation()
  // biome-ignore lint/correctness/useExhaustiveDependencies: the menu closes when a page is chosen
  useEffect(() => setOpen(false), [pathname])
  return (
    <header className="sticky top-0 z-30 flex h-12 items-center gap-1 border-b bg-page px-2 lg:hidden print:hidden">
      <Root open={isOpen} onOpenChange={setOpen}>
        <Trigger asChild>
          <IconButton label="Open the menu">
            <MenuIcon aria-hidden="true" />
          </IconButton>
        </Trigger>
        <Portal>
          <Overlay className={overlayClass} />
          <Content
            aria-describedby={undefined}
            className="fixed inset-y-0 left-0 z-40 w-[min(18rem,85vw)] animate-appear border-r bg-page shadow-pop outline-none"
          >
            <Title className="sr-only">Menu</Title>
            {children}
          </Content>
        </Portal>
      </Root>
      <p className="min-w-0 flex-1 truncate text-sm font-semibold">
        {place.app?.name ?? place.company?.name ?? 'Countersign'}
      </p>
      <IconButton label="Search" onClick={onSearch}>
        <Search aria-hidden="true" />
      </IconButton>
    </header>
  )
}
