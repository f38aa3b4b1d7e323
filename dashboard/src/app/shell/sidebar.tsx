import { Link } from '@tanstack/react-router'
import type { LucideIcon } from 'lucide-react'
import Search from 'lucide-react/icons/search'
import type { ReactNode } from 'react'
import { Kbd } from '#components/ui/kbd.tsx'
import { FirstLoad } from '#components/ui/problem.tsx'
import { useMe } from '#lib/session.ts'
import { commandKey } from '#lib/shortcuts.ts'
import { appPages, companyPages, operatorPages } from '../navigation.ts'
import type { Place } from '../place.ts'
import { AccountMenu } from './account-menu.tsx'
import { AppSwitcher } from './app-switcher.tsx'

interface SidebarProps {
  readonly place: Place
  readonly onSearch: () => void
  readonly onShortcuts: () => void
}

export function Sidebar({ place, onSearch, onShortcuts }: SidebarProps) {
  const me = useMe()
  const { app, company } = place
  return (
    <div className="flex h-full flex-col">
      <div className="flex flex-col gap-1.5 px-3 pt-3 pb-2">
        <AppSwitcher place={place} />
        <SearchButton onSearch={onSearch} />
      </div>
      <nav
        aria-label="Pages"
        className="flex min-h-0 flex-1 flex-col gap-4 scroll-py-2 overflow-y-auto px-3 py-2"
      >
        {/* Pages of an app or a company come before those below them. */}
        <FirstLoad isOver={place.isRead || (app !== null && company !== null)} />
        {app && (
          <Group label="App">
            {appPages.map(({ to, label, icon }) => (
              <Link key={to} to={to} params={{ appId: app.app_id }} {...navLink}>
                <NavLabel icon={icon} text={label} />
              </Link>
            ))}
          </Group>
        )}
        {company && (
          <Group label={company.name}>
            {companyPages.map(({ to, label, icon }) => (
              <Link key={to} to={to} params={{ companyId: company.company_id }} {...navLink}>
                <NavLabel icon={icon} text={label} />
              </Link>
            ))}
          </Group>
        )}
        {me.is_operator && (
          <Group label="Operator">
            {operatorPages.map(({ to, label, icon }) => (
              <Link key={to} to={to} {...navLink}>
                <NavLabel icon={icon} text={label} />
              </Link>
            ))}
          </Group>
        )}
      </nav>
      <div className="border-t px-3 py-2">
        <AccountMenu companyId={place.company?.company_id ?? null} onShortcuts={onShortcuts} />
      </div>
    </div>
  )
}

const SearchButton = ({ onSearch }: { readonly onSearch: () => void }) => (
  <button
    type="button"
    onClick={onSearch}
    className="flex h-8 items-center gap-2 rounded-md border border-line-strong bg-surface px-2.5 text-sm text-faint hover:border-faint pointer-coarse:h-10"
  >
    <Search className="size-3.5" aria-hidden="true" />
    <span className="flex-1 text-left">Search…</span>
    <span className="flex gap-0.5 pointer-coarse:hidden" aria-hidden="true">
      <Kbd>{commandKey}</Kbd>
      <Kbd>K</Kbd>
    </span>
  </button>
)

interface GroupProps {
  readonly label: string
  readonly children: ReactNode
}

const Group = ({ label, children }: GroupProps) => (
  <div>
    <p className="truncate px-2 pb-1 text-xs text-faint">{label}</p>
    <div className="flex flex-col gap-px">{children}</div>
  </div>
)

const navLink = {
  activeOptions: { includeSearch: false },
  className:
    'flex h-7.5 items-center gap-2.5 rounded-md px-2 text-sm text-muted hover:bg-sunken hover:text-ink aria-[current=page]:bg-sunken aria-[current=page]:font-medium aria-[current=page]:text-ink pointer-coarse:h-10 [&[aria-current=page]_svg]:text-accent',
}

interface NavLabelProps {
  readonly icon: LucideIcon
  readonly text: string
}

const NavLabel = ({ icon: Icon, text }: NavLabelProps) => (
  <>
    <Icon className="size-4 shrink-0 text-faint" aria-hidden="true" />
    {text}
  </>
)
