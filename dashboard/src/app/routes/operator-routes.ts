import { createRoute, lazyRouteComponent, notFound, Outlet, redirect } from '@tanstack/react-router'
import { meQuery } from '#lib/session.ts'
import { parseCompaniesSearch } from '../../features/companies/search.ts'
import { parsePricesSearch } from '../../features/prices/search.ts'
import { parseProvidersSearch } from '../../features/providers/search.ts'
import { NotFoundPage } from '../not-found-page.tsx'
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
  component: lazyRouteComponent(() => import('../../features/home/home-page.tsx'), 'HomePage'),
})
const companiesRoute = createRoute({
  getParentRoute: () => operatorRoute,
  path: '/companies',
  validateSearch: parseCompaniesSearch,
  component: lazyRouteComponent(() => import('../../features/companies/companies-page.tsx'), 'CompaniesPage'),
})
const providersRoute = createRoute({
  getParentRoute: () => operatorRoute,
  path: '/providers',
  validateSearch: parseProvidersSearch,
  component: lazyRouteComponent(() => import('../../features/providers/providers-page.tsx'), 'ProvidersPage'),
})
const pricesRoute = createRoute({
  getParentRoute: () => operatorRoute,
  path: '/prices',
  validateSearch: parsePricesSearch,
  component: lazyRouteComponent(() => import('../../features/prices/prices-page.tsx'), 'PricesPage'),
})
const alertsRoute = createRoute({
  getParentRoute: () => operatorRoute,
  path: '/alerts',
  component: lazyRouteComponent(() => import('../../features/alerts/alerts-page.tsx'), 'OperatorAlertsPage'),
})
const auditRoute = createRoute({
  getParentRoute: () => operatorRoute,
  path: '/audit',
  component: lazyRouteComponent(() => import('../../features/audit/audit-page.tsx'), 'OperatorAuditPage'),
})

const operatorsRoute = createRoute({
  getParentRoute: () => operatorRoute,
  path: '/operators',
  component: lazyRouteComponent(() => import('../../features/operators/operators-page.tsx'), 'OperatorsPage'),
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
