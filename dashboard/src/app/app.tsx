import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { Toaster } from '#components/ui/toaster.tsx'
import { TooltipProvider } from '#components/ui/tooltip.tsx'
import { makeQueryClient } from './query-client.ts'
import { makeRouter } from './router.tsx'

const client = makeQueryClient(() => toSignIn())
const router = makeRouter(client)

/** When a session has ended, the person goes to the sign-in page, and back here afterwards. */
function toSignIn(): void {
  const { pathname, href } = router.state.location
  if (pathname === '/sign-in') return
  client.clear()
  void router.navigate({ to: '/sign-in', search: { return: href } })
}

export const App = () => (
  <QueryClientProvider client={client}>
    <TooltipProvider>
      <RouterProvider router={router} />
      <Toaster />
    </TooltipProvider>
  </QueryClientProvider>
)
