import { Link } from '@tanstack/react-router'
import Building from 'lucide-react/icons/building'
import Check from 'lucide-react/icons/check'
import ChevronsUpDown from 'lucide-react/icons/chevrons-up-down'
import Plus from 'lucide-react/icons/plus'
import { Menu, MenuItem, MenuLabel, MenuSeparator } from '#components/ui/menu.tsx'
import { FirstLoad } from '#components/ui/problem.tsx'
import { useMe } from '#lib/session.ts'
import type { Place } from '../place.ts'

/** Shows the current app and company, and leads to others. */
export function AppSwitcher({ place }: { readonly place: Place }) {
  const { app, apps, company } = place
  const { companies, is_operator } = useMe()
  const none = is_operator ? 'All companies' : companies.length === 0 ? 'No companies yet' : '\u00a0'
  return (
    <Menu
      className="w-60"
      trigger={
        <button
          type="button"
          className="flex items-center gap-2.5 rounded-md px-2 py-1.5 text-left hover:bg-sunken data-[state=open]:bg-sunken"
        >
          <span className="sr-only">Switch app: </span>
          <img src={`${import.meta.env.BASE_URL}mark.svg`} alt="" className="size-7" />
          <span className="min-w-0 flex-1 leading-tight">
            <span className="block truncate text-sm font-semibold">{app?.name ?? 'Countersign'}</span>
            <span className="block truncate text-xs text-faint">{company?.name ?? none}</span>
          </span>
          <ChevronsUpDown className="size-3.5 text-faint" aria-hidden="true" />
        </button>
      }
    >
      {company && <MenuLabel>Apps of {company.name}</MenuLabel>}
      {apps.map((one) => (
        <MenuItem key={one.app_id} asChild>
          <Link to="/a/$appId/overview" params={{ appId: one.app_id }}>
            <span className="flex-1 truncate">{one.name}</span>
            {one.app_id === app?.app_id && <Check aria-hidden="true" />}
          </Link>
        </MenuItem>
      ))}
      <FirstLoad isOver={place.isRead} />
      {company && (
        <MenuItem asChild>
          <Link
            to="/c/$companyId/apps"
            params={{ companyId: company.company_id }}
            search={{ open: 'create-app' }}
          >
            <Plus aria-hidden="true" />
            Create an app
          </Link>
        </MenuItem>
      )}
      <OtherCompanies current={company?.company_id ?? null} />
    </Menu>
  )
}

function OtherCompanies({ current }: { readonly current: string | null }) {
  const me = useMe()
  const others = me.companies.filter(({ company_id }) => company_id !== current)
  if (others.length === 0 && !me.is_operator) return null
  return (
    <>
      <MenuSeparator />
      {others.length > 0 && <MenuLabel>Other companies</MenuLabel>}
      {others.map(({ company_id, name }) => (
        <MenuItem key={company_id} asChild>
          <Link to="/c/$companyId/apps" params={{ companyId: company_id }}>
            <span className="truncate">{name}</span>
          </Link>
        </MenuItem>
      ))}
      {me.is_operator && (
        <MenuItem asChild>
          <Link to="/operator/companies">
            <Building aria-hidden="true" />
            All companies
          </Link>
        </MenuItem>
      )}
    </>
  )
}
