import { createRoute, notFound, Outlet, redirect } from '@tanstack/react-router'
import { meQuery } from '#lib/session.ts'
import { parseCompaniesSearch } from '../../features/companies/search.ts'
import { parsePricesSearch } from '../../features/prices/search.ts'
import { parseProvidersSearch } from '../../features/providers/search.ts'
import { NotFoundPage } from '../not-found-page.tsx'
import { lazyPage } from './lazy-page.ts'
import { shellRoute } from './root-routes.tsx'

const operatorRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/operator',
  loader: async ({ context: { client } }) => {
    const me = await client.ensureQueryData(meQuery)
    if (!me.is_operator) throw notFound()
  },
  component: Outlet,
  notFoundComponent: NotFoundPage,
})

const operatorIndexRoute = createRoute({
  getParentRoute: () => operatorRoute,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: '/operator/home' })
  },
})

const homeRoute = createRoute({
  getParentRoute: () => operatorRoute,
  path: '/home',
  component: lazyPage(() => import('../../features/home/home-page.tsx'), 'HomePage'),
})
const companiesRoute = createRoute({
  getParentRoute: () => operatorRoute,
  path: '/companies',
  validateSearch: parseCompaniesSearch,
  component: lazyPage(() => import('../../features/companies/companies-page.tsx'), 'CompaniesPage'),
})
const providersRoute = createRoute({
  getParentRoute: () => operatorRoute,
  path: '/providers',
  validateSearch: parseProvidersSearch,
  component: lazyPage(() => import('../../features/providers/providers-page.tsx'), 'ProvidersPage'),
})
const pricesRoute = createRoute({
  getParentRoute: () => operatorRoute,
  path: '/prices',
  validateSearch: parsePricesSearch,
  component: lazyPage(() => import('../../features/prices/prices-page.tsx'), 'PricesPage'),
})
const alertsRoute = createRoute({
  getParentRoute: () => operatorRoute,
  path: '/alerts',
  component: lazyPage(() => import('../../features/alerts/alerts-page.tsx'), 'OperatorAlertsPage'),
})
const auditRoute = createRoute({
  getParentRoute: () => operatorRoute,
  path: '/audit',
  component: lazyPage(() => import('../../features/audit/audit-page.tsx'), 'OperatorAuditPage'),
})

const operatorsRoute = createRoute({
  getParentRoute: () => operatorRoute,
  path: '/operators',
  component: lazyPage(() => import('../../features/operators/operators-page.tsx'), 'OperatorsPage'),
})

export const operatorRoutes = operatorRoute.addChildren([
  operatorIndexRoute,
  homeRoute,
  companiesRoute,
  providersRoute,
  pricesRoute,
  operatorsRoute,
  alertsRoute,
  auditRoute,
])
