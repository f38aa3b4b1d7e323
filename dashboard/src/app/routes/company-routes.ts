import { createRoute, Outlet, redirect } from '@tanstack/react-router'
import { companyQuery } from '#lib/app.ts'
import { parseAuditSearch } from '../../features/audit/search.ts'
import { parseBillingSearch } from '../../features/billing/search.ts'
import { parsePersonSearch } from '../../features/search/search.ts'
import { NotFoundPage } from '../not-found-page.tsx'
import { lazyPage } from './lazy-page.ts'
import { instead } from './refusals.ts'
import { shellRoute } from './root-routes.tsx'

const companyRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/c/$companyId',
  loader: async ({ context: { client }, params, location }) => {
    try {
      await client.ensureQueryData(companyQuery(params.companyId))
    } catch (error) {
      throw instead(error, location)
    }
  },
  component: Outlet,
  notFoundComponent: NotFoundPage,
})

const companyIndexRoute = createRoute({
  getParentRoute: () => companyRoute,
  path: '/',
  beforeLoad: ({ params }) => {
    throw redirect({ to: '/c/$companyId/apps', params })
  },
})

const appsRoute = createRoute({
  getParentRoute: () => companyRoute,
  path: '/apps',
  component: lazyPage(() => import('../../features/apps/apps-page.tsx'), 'AppsPage'),
})
const billingRoute = createRoute({
  getParentRoute: () => companyRoute,
  path: '/billing',
  validateSearch: parseBillingSearch,
  component: lazyPage(() => import('../../features/billing/billing-page.tsx'), 'BillingPage'),
})
const teamRoute = createRoute({
  getParentRoute: () => companyRoute,
  path: '/team',
  component: lazyPage(() => import('../../features/team/team-page.tsx'), 'TeamPage'),
})
const searchRoute = createRoute({
  getParentRoute: () => companyRoute,
  path: '/search',
  validateSearch: parsePersonSearch,
  component: lazyPage(() => import('../../features/search/search-page.tsx'), 'SearchPage'),
})
const alertsRoute = createRoute({
  getParentRoute: () => companyRoute,
  path: '/alerts',
  component: lazyPage(() => import('../../features/alerts/alerts-page.tsx'), 'CompanyAlertsPage'),
})
const auditRoute = createRoute({
  getParentRoute: () => companyRoute,
  path: '/audit',
  validateSearch: parseAuditSearch,
  component: lazyPage(() => import('../../features/audit/audit-page.tsx'), 'CompanyAuditPage'),
})
const companySettingsRoute = createRoute({
  getParentRoute: () => companyRoute,
  path: '/settings',
  component: lazyPage(
    () => import('../../features/settings/company-settings-page.tsx'),
    'CompanySettingsPage',
  ),
})

export const companyRoutes = companyRoute.addChildren([
  companyIndexRoute,
  appsRoute,
  billingRoute,
  teamRoute,
  searchRoute,
  alertsRoute,
  auditRoute,
  companySettingsRoute,
])
