import type { QueryClient } from '@tanstack/react-query'
import { createRouter } from '@tanstack/react-router'
import { SkeletonPage } from '#components/ui/skeleton.tsx'
import { ErrorPage } from './error-page.tsx'
import { NotFoundPage } from './not-found-page.tsx'
import { appRoutes } from './routes/app-routes.ts'
import { companyRoutes } from './routes/company-routes.ts'
import { operatorRoutes } from './routes/operator-routes.ts'
import {
  accountRoute,
  indexRoute,
  nowhereRoute,
  passkeyRoute,
  rootRoute,
  shellRoute,
  signInRoute,
} from './routes/root-routes.tsx'

const routeTree = rootRoute.addChildren([
  signInRoute,
  shellRoute.addChildren([
    indexRoute,
    accountRoute,
    passkeyRoute,
    appRoutes,
    companyRoutes,
    operatorRoutes,
    nowhereRoute,
  ]),
])

export const makeRouter = (client: QueryClient) =>
  createRouter({
    routeTree,
    basepath: '/dashboard',
    context: { client },
    defaultPreload: 'intent',
    // React Query decides what is fresh.
    defaultPreloadStaleTime: 0,
    // What a page shows of one app or company is not shown of the next.
    defaultRemountDeps: ({ params }) => params,
    defaultPendingComponent: SkeletonPage,
    defaultNotFoundComponent: NotFoundPage,
    defaultErrorComponent: ErrorPage,
    scrollRestoration: true,
  })

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof makeRouter>
  }
  interface HistoryState {
    /** The recipient to look for. Kept in the history state, not in the address. */
    recipient?: string | undefined
    /** The country of the recipient's number, if it is written without its calling code. */
    country?: string | undefined
    /** The list that a verification was opened from. */
    list?: {
      readonly pathname: string
      readonly search: Readonly<Record<string, unknown>>
      readonly recipient: string | undefined
      readonly country: string | undefined
    }
  }
}
