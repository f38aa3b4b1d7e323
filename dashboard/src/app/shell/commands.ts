/** Every page and action that the command palette offers to this person, here. */
import type { Role } from '@countersign/contract'
import { useNavigate } from '@tanstack/react-router'
import type { LucideIcon } from 'lucide-react'
import Activity from 'lucide-react/icons/activity'
import BookOpen from 'lucide-react/icons/book-open'
import Building from 'lucide-react/icons/building'
import Keyboard from 'lucide-react/icons/keyboard'
import LogOut from 'lucide-react/icons/log-out'
import Plus from 'lucide-react/icons/plus'
import ScanSearch from 'lucide-react/icons/scan-search'
import Smartphone from 'lucide-react/icons/smartphone'
import UserSearch from 'lucide-react/icons/user-search'
import { permissionOf, useMe } from '#lib/session.ts'
import { setTheme, themes } from '#lib/theme.ts'
import { accountPage, appPages, companyPages, operatorPages } from '../navigation.ts'
import type { Place } from '../place.ts'
import { useSignOut } from '../use-sign-out.ts'
import { themeLabels } from './account-menu.tsx'
import { appActions, companyActions, operatorActions } from './actions.ts'

export interface PaletteCommand {
  readonly id: string
  readonly label: string
  readonly icon?: LucideIcon
  readonly keys?: string
  /** Other words under which people look for it. */
  readonly words?: readonly string[]
  readonly run: () => void
}

export interface CommandGroup {
  readonly heading: string
  readonly commands: readonly PaletteCommand[]
}

export function useCommands(place: Place, text: string, onShortcuts: () => void): readonly CommandGroup[] {
  const groups = [
    useLookup(place, text),
    useActions(place),
    usePages(place),
    usePlaces(place),
    useThisBrowser(onShortcuts),
  ]
  return groups.filter(({ commands }) => commands.length > 0)
}

/** Invisible characters that come along when a number is copied. */
const unseen = /\p{C}/gu
/** Something that may be a phone number or an email address, as people write them. */
const personShape = /^(\S+@\S+\.\S+|(?=(\D*\d){6})[+(]?[\d\s()./·\p{Pd}]+)$/u

/** A pasted id, number or email address leads straight to what it names. */
function useLookup({ app, company }: Place, text: string): CommandGroup {
  const navigate = useNavigate()
  const id = text.replace(unseen, '').trim()
  if (company && personShape.test(id)) {
    const run = () =>
      void navigate({
        to: '/c/$companyId/search',
        params: { companyId: company.company_id },
        // In the history state and not in the address, since addresses get logged on the way.
        state: { recipient: id },
      })
    const label = `Find ${id} in all apps of ${company.name}`
    return { heading: 'Find', commands: [{ id, label, icon: UserSearch, run }] }
  }
  const [prefix] = /^(otp|evt)_\w+$/.exec(id)?.slice(1) ?? []
  if (!app || !prefix) return { heading: 'Find', commands: [] }
  const params = { appId: app.app_id }
  const command =
    prefix === 'otp'
      ? {
          label: `Open the verification ${id}`,
          icon: ScanSearch,
          run: () =>
            void navigate({ to: '/a/$appId/verifications/$otpId', params: { ...params, otpId: id } }),
        }
      : {
          label: `Open the event ${id}`,
          icon: Activity,
          run: () => void navigate({ to: '/a/$appId/events', params, search: { event: id } }),
        }
  return { heading: 'Find', commands: [{ ...command, id }] }
}

function usePages({ app, company }: Place): CommandGroup {
  const navigate = useNavigate()
  const me = useMe()
  const ofApp = (app ? appPages : []).map((page) => ({
    ...page,
    run: () => void navigate({ to: page.to, params: { appId: app?.app_id ?? '' } }),
  }))
  const ofCompany = (company ? companyPages : []).map((page) => ({
    ...page,
    run: () => void navigate({ to: page.to, params: { companyId: company?.company_id ?? '' } }),
  }))
  const ofOperator = (me.is_operator ? operatorPages : []).map((page) => ({
    ...page,
    run: () => void navigate({ to: page.to }),
  }))
  const own = { ...accountPage, run: () => void navigate({ to: accountPage.to }) }
  return {
    heading: 'Go to',
    commands: [...ofApp, ...ofCompany, ...ofOperator, own].map(({ to, label, icon, keys, run }) => ({
      id: `page ${to}`,
      label,
      icon,
      keys,
      run,
    })),
  }
}

function useActions({ app, company }: Place): CommandGroup {
  const navigate = useNavigate()
  const me = useMe()
  const mayIn = (needed: Role | 'operator') => permissionOf(me, company?.company_id ?? null, needed).may
  const ofApp = app
    ? appActions
        .filter(({ needs }) => mayIn(needs))
        .map(({ to, search, label, words }) => ({
          label,
          words,
          run: () => void navigate({ to, params: { appId: app.app_id }, search }),
        }))
    : []
  const ofCompany = company
    ? companyActions
        .filter(({ needs }) => mayIn(needs))
        .map(({ to, search, label, words }) => ({
          label,
          words,
          run: () => void navigate({ to, params: { companyId: company.company_id }, search }),
        }))
    : []
  const ofOperator = me.is_operator
    ? operatorActions.map(({ to, search, label, words }) => ({
        label,
        words,
        run: () => void navigate({ to, search }),
      }))
    : []
  const commands = [...ofApp, ...ofCompany, ...ofOperator].map((action) => ({
    ...action,
    id: `action ${action.label}`,
    icon: Plus,
  }))
  return { heading: 'Actions', commands }
}

function usePlaces({ app, apps, company }: Place): CommandGroup {
  const navigate = useNavigate()
  const me = useMe()
  const otherApps = apps
    .filter(({ app_id }) => app_id !== app?.app_id)
    .map(({ app_id, name }) => ({
      id: `app ${app_id}`,
      label: `Switch to ${name}`,
      words: ['app'],
      run: () => void navigate({ to: '/a/$appId/overview', params: { appId: app_id } }),
    }))
  const otherCompanies = me.companies
    .filter(({ company_id }) => company_id !== company?.company_id)
    .map(({ company_id, name }) => ({
      id: `company ${company_id}`,
      label: `Switch to ${name}`,
      words: ['company'],
      icon: Building,
      run: () => void navigate({ to: '/c/$companyId/apps', params: { companyId: company_id } }),
    }))
  return { heading: 'Switch', commands: [...otherApps, ...otherCompanies] }
}

function useThisBrowser(onShortcuts: () => void): CommandGroup {
  const me = useMe()
  const signOut = useSignOut()
  const phones = me.installation.phones_url
  const openPage = (address: string) => () => void window.open(address, '_blank', 'noreferrer')
  return {
    heading: 'This browser',
    commands: [
      ...themes.map((theme) => {
        const [label, icon] = themeLabels[theme]
        return {
          id: `theme ${theme}`,
          label: `Theme: ${label.toLowerCase()}`,
          icon,
          words: ['colour', 'mode'],
          run: () => setTheme(theme),
        }
      }),
      { id: 'shortcuts', label: 'Keyboard shortcuts', icon: Keyboard, keys: '?', run: onShortcuts },
      { id: 'docs', label: 'Documents', icon: BookOpen, words: ['docs', 'guide'], run: openPage('/docs') },
      {
        id: 'reference',
        label: 'API reference',
        icon: BookOpen,
        words: ['docs', 'api'],
        run: openPage('/docs/reference'),
      },
      ...(phones
        ? [{ id: 'phones', label: 'The simulator’s phones', icon: Smartphone, run: openPage(phones) }]
        : []),
      { id: 'sign out', label: 'Sign out', icon: LogOut, words: ['log out'], run: () => signOut.mutate() },
    ],
  }
}
