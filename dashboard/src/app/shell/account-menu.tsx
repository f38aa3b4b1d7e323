import { Link } from '@tanstack/react-router'
import BookOpen from 'lucide-react/icons/book-open'
import Keyboard from 'lucide-react/icons/keyboard'
import LogOut from 'lucide-react/icons/log-out'
import Monitor from 'lucide-react/icons/monitor'
import Moon from 'lucide-react/icons/moon'
import Smartphone from 'lucide-react/icons/smartphone'
import Sun from 'lucide-react/icons/sun'
import UserRound from 'lucide-react/icons/user-round'
import { Menu, MenuItem, MenuLabel, MenuSeparator } from '#components/ui/menu.tsx'
import { useMe } from '#lib/session.ts'
import { setTheme, type Theme, useTheme } from '#lib/theme.ts'
import { roleLabels } from '../../features/team/lib/role-words.ts'
import { useSignOut } from '../use-sign-out.ts'

export const themeLabels = {
  system: ['System', Monitor],
  light: ['Light', Sun],
  dark: ['Dark', Moon],
} as const satisfies Record<Theme, unknown>

const nextTheme: Readonly<Record<Theme, Theme>> = { system: 'light', light: 'dark', dark: 'system' }

interface AccountMenuProps {
  /** The company that the person is in now: what they may do depends on it. */
  readonly companyId: string | null
  readonly onShortcuts: () => void
}

export function AccountMenu({ companyId, onShortcuts }: AccountMenuProps) {
  const me = useMe()
  const role = me.companies.find(({ company_id }) => company_id === companyId)?.role
  const theme = useTheme()
  const signOut = useSignOut()
  const [themeLabel, ThemeIcon] = themeLabels[theme]
  return (
    <Menu
      side="top"
      className="w-60"
      trigger={
        <button
          type="button"
          className="flex w-full items-center gap-2.5 rounded-md px-2 py-1.5 text-left hover:bg-sunken data-[state=open]:bg-sunken"
        >
          <span className="sr-only">Account: </span>
          <span
            aria-hidden="true"
            className="grid size-7 shrink-0 place-items-center rounded-full bg-accent-soft text-xs font-semibold text-accent"
          >
            {(me.name ?? me.email).charAt(0).toUpperCase()}
          </span>
          <span className="min-w-0 flex-1 leading-tight">
            <span className="block truncate text-sm">{me.name ?? me.email}</span>
            <span className="block truncate text-xs text-faint">
              {me.is_operator ? 'Operator' : role ? roleLabels[role] : 'No company'}
            </span>
          </span>
        </button>
      }
    >
      <MenuLabel>{me.email}</MenuLabel>
      <MenuItem asChild>
        <Link to="/account">
          <UserRound aria-hidden="true" />
          Your account
        </Link>
      </MenuItem>
      <MenuItem
        onSelect={(event) => {
          event.preventDefault()
          setTheme(nextTheme[theme])
        }}
      >
        <ThemeIcon aria-hidden="true" />
        Theme: {themeLabel.toLowerCase()}
      </MenuItem>
      <MenuItem onSelect={onShortcuts}>
        <Keyboard aria-hidden="true" />
        Keyboard shortcuts
      </MenuItem>
      <MenuSeparator />
      <MenuItem asChild>
        <a href="/docs" target="_blank" rel="noreferrer">
          <BookOpen aria-hidden="true" />
          Documents
        </a>
      </MenuItem>
      {me.installation.phones_url && (
        <MenuItem asChild>
          <a href={me.installation.phones_url} target="_blank" rel="noreferrer">
            <Smartphone aria-hidden="true" />
            The simulator’s phones
          </a>
        </MenuItem>
      )}
      <MenuSeparator />
      <MenuItem onSelect={() => signOut.mutate()}>
        <LogOut aria-hidden="true" />
        Sign out
      </MenuItem>
    </Menu>
  )
}
