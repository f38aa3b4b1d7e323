import type { QueryClient } from '@tanstack/react-query'
import { createRootRouteWithContext, createRoute, Outlet, redirect } from '@tanstack/react-router'
import { isSignedOut } from '#lib/api-error.ts'
import { meQuery } from '#lib/session.ts'
import { ErrorPage } from '../error-page.tsx'
import { NoCompanyPage } from '../no-company-page.tsx'
import { NotFoundPage } from '../not-found-page.tsx'
import { findHome } from '../place.ts'
import { Shell } from '../shell/shell.tsx'
import { lazyPage } from './lazy-page.ts'

const text = (value: unknown): string | undefined => (typeof value === 'string' && value ? value : undefined)

interface RootSearch {
  /** The dialog that is open on the page. */
  readonly open?: string | undefined
}

export const rootRoute = createRootRouteWithContext<{ readonly client: QueryClient }>()({
  validateSearch: (search): RootSearch => ({ open: text(search.open) }),
  component: Outlet,
  // Outside the shell nothing else puts a landmark around the page.
  notFoundComponent: () => (
    <main>
      <NotFoundPage />
    </main>
  ),
})

export const signInRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/sign-in',
  validateSearch: (search): { readonly return?: string | undefined } => ({ return: text(search.return) }),
  component: lazyPage(() => import('../../features/sign-in/sign-in-page.tsx'), 'SignInPage'),
})

/** What follows the `#` may be a recipient, which must not get into the address of the sign-in page. */
const withoutHash = (href: string) => href.replace(/#.*$/, '')

export const shellRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'shell',
  beforeLoad: async ({ context, location }) => {
    try {
      await context.client.ensureQueryData(meQuery)
    } catch (error) {
      if (isSignedOut(error))
        throw redirect({ to: '/sign-in', search: { return: withoutHash(location.href) } })
      throw error
    }
  },
  component: Shell,
  errorComponent: (props) => (
    <main>
      <ErrorPage {...props} />
    </main>
  ),
})

export const indexRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/',
  beforeLoad: async ({ context }) => {
    const home = await findHome(context.client)
    if (home) throw home
  },
  component: NoCompanyPage,
})

/** An address that no page has. It is shown within the shell, so that the navigation is there. */
export const nowhereRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '$',
  component: NotFoundPage,
})

export const passkeyRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/passkey',
  validateSearch: (search): { readonly return?: string | undefined } => ({ return: text(search.return) }),
  component: lazyPage(() => import('../passkey-page.tsx'), 'PasskeyPage'),
})

export const accountRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/account',
  component: lazyPage(() => import('../../features/account/account-page.tsx'), 'AccountPage'),
})
