import KeyRound from 'lucide-react/icons/key-round'
import { Button } from '#components/ui/button.tsx'
import { FormProblem } from '#components/ui/problem.tsx'
import { canUsePasskeys } from '#lib/passkey.ts'
import { useSignInWithPasskey } from '../api/sign-in.ts'

export function PasskeySignIn({ onDone }: { readonly onDone: () => void }) {
  const enter = useSignInWithPasskey(onDone)
  if (!canUsePasskeys) return null
  return (
    <div className="flex flex-col gap-4">
      <p className="flex items-center gap-3 text-xs text-muted before:h-px before:flex-1 before:bg-line after:h-px after:flex-1 after:bg-line">
        or
      </p>
      <FormProblem error={enter.error} />
      <Button isBusy={enter.isPending} onClick={() => enter.mutate()}>
        <KeyRound aria-hidden="true" />
        Sign in with a passkey
      </Button>
    </div>
  )
}
