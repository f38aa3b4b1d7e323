import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link, useRouter, useSearch } from '@tanstack/react-router'
import KeyRound from 'lucide-react/icons/key-round'
import { Button, buttonClass } from '#components/ui/button.tsx'
import { Empty } from '#components/ui/empty.tsx'
import { Page } from '#components/ui/page.tsx'
import { FormProblem } from '#components/ui/problem.tsx'
import { canUsePasskeys, makePasskey, proveWithPasskey } from '#lib/passkey.ts'
import { pathWithin } from '#lib/return-path.ts'
import { useMe } from '#lib/session.ts'
import { describeUserAgent } from '../features/account/lib/user-agent.ts'

/** Stands in for every page of a company that requires a passkey, until one is used in this session. */
export function PasskeyPage() {
  const me = useMe()
  const router = useRouter()
  const { return: wanted } = useSearch({ from: '/shell/passkey' })
  const client = useQueryClient()
  const use = useMutation({
    mutationFn: async () => {
      if (me.has_passkey) await proveWithPasskey()
      else await makePasskey(describeUserAgent(navigator.userAgent))
    },
    onSuccess: async () => {
      await client.invalidateQueries()
      router.history.replace(pathWithin(wanted))
    },
  })
  return (
    <Page title="One more step">
      <Empty
        title="This company requires a passkey"
        icon={<KeyRound />}
        action={
          <>
            <Button
              variant="primary"
              isBusy={use.isPending}
              disabledReason={
                canUsePasskeys ? undefined : 'This browser cannot use passkeys at this address.'
              }
              onClick={() => use.mutate()}
            >
              {me.has_passkey ? 'Use your passkey' : 'Create a passkey'}
            </Button>
            <Link to="/account" className={buttonClass()}>
              Your account
            </Link>
          </>
        }
      >
        {me.has_passkey
          ? 'Use one of yours to get in. If you have lost it, ask the operator of this installation for a sign-in link and create a new one.'
          : 'Create one on this device with your fingerprint, face or PIN. From then on you can also sign in with it.'}
      </Empty>
      <FormProblem error={use.error} />
    </Page>
  )
}
