/** Every page that the sidebar, the command palette and the keyboard lead to. */
import type { LucideIcon } from 'lucide-react'
import Activity from 'lucide-react/icons/activity'
import BellRing from 'lucide-react/icons/bell-ring'
import Building from 'lucide-react/icons/building'
import ChartNoAxesColumn from 'lucide-react/icons/chart-no-axes-column'
import ClipboardList from 'lucide-react/icons/clipboard-list'
import Gauge from 'lucide-react/icons/gauge'
import Grid2x2 from 'lucide-react/icons/grid-2x2'
import KeyRound from 'lucide-react/icons/key-round'
import MessageSquareText from 'lucide-react/icons/message-square-text'
import PlugZap from 'lucide-react/icons/plug-zap'
import ReceiptText from 'lucide-react/icons/receipt-text'
import Rocket from 'lucide-react/icons/rocket'
import ScanSearch from 'lucide-react/icons/scan-search'
import Settings from 'lucide-react/icons/settings'
import ShieldCheck from 'lucide-react/icons/shield-check'
import Split from 'lucide-react/icons/split'
import Tags from 'lucide-react/icons/tags'
import TriangleAlert from 'lucide-react/icons/triangle-alert'
import UserCog from 'lucide-react/icons/user-cog'
import UserRound from 'lucide-react/icons/user-round'
import UserSearch from 'lucide-react/icons/user-search'
import Users from 'lucide-react/icons/users'
import Webhook from 'lucide-react/icons/webhook'

interface Entry {
  readonly label: string
  readonly icon: LucideIcon
  /** Two keys pressed one after the other, as in Linear. */
  readonly keys: string
}

export const appPages = [
  { to: '/a/$appId/overview', label: 'Overview', icon: ChartNoAxesColumn, keys: 'g o' },
  { to: '/a/$appId/verifications', label: 'Verifications', icon: ScanSearch, keys: 'g v' },
  { to: '/a/$appId/errors', label: 'Errors', icon: TriangleAlert, keys: 'g x' },
  { to: '/a/$appId/events', label: 'Events', icon: Activity, keys: 'g e' },
  { to: '/a/$appId/webhooks', label: 'Webhooks', icon: Webhook, keys: 'g w' },
  { to: '/a/$appId/routing', label: 'Routing', icon: Split, keys: 'g r' },
  { to: '/a/$appId/channels', label: 'Channels', icon: MessageSquareText, keys: 'g c' },
  { to: '/a/$appId/guard', label: 'Guard', icon: ShieldCheck, keys: 'g g' },
  { to: '/a/$appId/keys', label: 'API Keys', icon: KeyRound, keys: 'g k' },
  { to: '/a/$appId/settings', label: 'Settings', icon: Settings, keys: 'g s' },
  { to: '/a/$appId/start', label: 'Getting started', icon: Rocket, keys: 'g h' },
] as const satisfies readonly (Entry & { readonly to: string })[]

export const companyPages = [
  { to: '/c/$companyId/apps', label: 'Apps', icon: Grid2x2, keys: 'g a' },
  { to: '/c/$companyId/search', label: 'Find a person', icon: UserSearch, keys: 'g f' },
  { to: '/c/$companyId/billing', label: 'Billing', icon: ReceiptText, keys: 'g b' },
  { to: '/c/$companyId/team', label: 'Team', icon: Users, keys: 'g t' },
  { to: '/c/$companyId/alerts', label: 'Alerts', icon: BellRing, keys: 'g n' },
  { to: '/c/$companyId/audit', label: 'Audit trail', icon: ClipboardList, keys: 'g l' },
  { to: '/c/$companyId/settings', label: 'Company settings', icon: Building, keys: 'g y' },
] as const satisfies readonly (Entry & { readonly to: string })[]

export const operatorPages = [
  { to: '/operator/home', label: 'Installation', icon: Gauge, keys: 'o h' },
  { to: '/operator/companies', label: 'Companies', icon: Building, keys: 'o c' },
  { to: '/operator/providers', label: 'Providers', icon: PlugZap, keys: 'o p' },
  { to: '/operator/prices', label: 'Price book', icon: Tags, keys: 'o b' },
  { to: '/operator/operators', label: 'Operators', icon: UserCog, keys: 'o o' },
  { to: '/operator/alerts', label: 'Alerts', icon: BellRing, keys: 'o n' },
  { to: '/operator/audit', label: 'All changes', icon: ClipboardList, keys: 'o a' },
] as const satisfies readonly (Entry & { readonly to: string })[]

export const accountPage = { to: '/account', label: 'Your account', icon: UserRound, keys: 'g u' } as const
