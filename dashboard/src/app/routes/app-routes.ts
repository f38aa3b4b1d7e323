import { createRoute, Outlet, redirect } from '@tanstack/react-router'
import { appQuery, companyQuery } from '#lib/app.ts'
import { parseChannelsSearch } from '../../features/channels/search.ts'
import { parseErrorsSearch } from '../../features/errors/search.ts'
import { parseEventsSearch } from '../../features/events/search.ts'
import { parseGuardSearch } from '../../features/guard/search.ts'
import { parseKeysSearch } from '../../features/keys/search.ts'
import { parseOverviewSearch } from '../../features/overview/search.ts'
import { parseVerificationsSearch } from '../../features/verifications/search.ts'
import { NotFoundPage } from '../not-found-page.tsx'
import { rememberApp } from '../place.ts'
import { lazyPage } from './lazy-page.ts'
import { instead } from './refusals.ts'
import { shellRoute } from './root-routes.tsx'

const appRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/a/$appId',
  loader: async ({ context: { client }, params, location }) => {
    try {
      const app = await client.ensureQueryData(appQuery(params.appId))
      await client.ensureQueryData(companyQuery(app.company_id))
      rememberApp(app)
    } catch (error) {
      throw instead(error, location)
    }
  },
  component: Outlet,
  notFoundComponent: NotFoundPage,
})

const appIndexRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/',
  beforeLoad: ({ params }) => {
    throw redirect({ to: '/a/$appId/overview', params })
  },
})

const overviewRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/overview',
  validateSearch: parseOverviewSearch,
  component: lazyPage(() => import('../../features/overview/overview-page.tsx'), 'OverviewPage'),
})
const startRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/start',
  component: lazyPage(() => import('../../features/start/start-page.tsx'), 'StartPage'),
})
const verificationsRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/verifications',
  validateSearch: parseVerificationsSearch,
  component: lazyPage(
    () => import('../../features/verifications/verifications-page.tsx'),
    'VerificationsPage',
  ),
})
const verificationRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/verifications/$otpId',
  component: lazyPage(() => import('../../features/verifications/verification-page.tsx'), 'VerificationPage'),
})
/** Links from the simulator's phones have the recipient after the `#`, which no server sees; it is removed at once. */
const findRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/find',
  beforeLoad: async ({ context: { client }, params, location }) => {
    const { company_id: companyId } = await client.ensureQueryData(appQuery(params.appId))
    const recipient = new URLSearchParams(location.hash.replaceAll('+', '%2B')).get('to') ?? ''
    throw redirect({ to: '/c/$companyId/search', params: { companyId }, state: { recipient }, replace: true })
  },
})
const keysRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/keys',
  validateSearch: parseKeysSearch,
  component: lazyPage(() => import('../../features/keys/keys-page.tsx'), 'KeysPage'),
})
const errorsRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/errors',
  validateSearch: parseErrorsSearch,
  component: lazyPage(() => import('../../features/errors/errors-page.tsx'), 'ErrorsPage'),
})
const eventsRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/events',
  validateSearch: parseEventsSearch,
  component: lazyPage(() => import('../../features/events/events-page.tsx'), 'EventsPage'),
})
const webhooksRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/webhooks',
  component: lazyPage(() => import('../../features/webhooks/webhooks-page.tsx'), 'WebhooksPage'),
})
const routingRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/routing',
  component: lazyPage(() => import('../../features/routing/routing-page.tsx'), 'RoutingPage'),
})
const channelsRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/channels',
  validateSearch: parseChannelsSearch,
  component: lazyPage(() => import('../../features/channels/channels-page.tsx'), 'ChannelsPage'),
})
const guardRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/guard',
  validateSearch: parseGuardSearch,
  component: lazyPage(() => import('../../features/guard/guard-page.tsx'), 'GuardPage'),
})
const settingsRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/settings',
  component: lazyPage(() => import('../../features/settings/app-settings-page.tsx'), 'AppSettingsPage'),
})

export const appRoutes = appRoute.addChildren([
  appIndexRoute,
  overviewRoute,
  startRoute,
  verificationsRoute,
  verificationRoute,
  findRoute,
  keysRoute,
  errorsRoute,
  eventsRoute,
  webhooksRoute,
  routingRoute,
  channelsRoute,
  guardRoute,
  settingsRoute,
])
