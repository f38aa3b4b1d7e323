import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import KeyRound from 'lucide-react/icons/key-round'
import Mail from 'lucide-react/icons/mail'
import { useState } from 'react'
import { Button, buttonClass } from '#components/ui/button.tsx'
import { Dialog } from '#components/ui/dialog.tsx'
import { lazyPart } from '#components/ui/lazy-part.tsx'
import { FormProblem } from '#components/ui/problem.tsx'
import { canUsePasskeys, proveWithPasskey, signInAgainWithPasskey } from '#lib/passkey.ts'
import { type ProofKind, useAskedProof } from '#lib/proof.ts'
import { useMe } from '#lib/session.ts'
import { useChange } from '#lib/use-change.ts'
import type { SentCode } from '../../features/sign-in/lib/sent-code.ts'

const CodeForm = lazyPart(
  () => import('../../features/sign-in/components/code-form.tsx'),
  (module) => module.CodeForm,
)

const reasons: Readonly<Record<ProofKind, string>> = {
  any: 'For this change you need to have signed in within the last ten minutes.',
  passkey: 'This needs your passkey.',
  session: 'Sign in again; what you have entered is still here.',
}

/** Opens when a call needs the person to prove who they are; the call goes on afterwards. */
export function ProofDialog() {
  const asked = useAskedProof()
  const client = useQueryClient()
  const settle = (isProven: boolean) => {
    asked?.settle(isProven)
    if (isProven) void client.invalidateQueries({ queryKey: ['getMe'] })
  }
  return (
    <Dialog
      isOpen={asked !== null}
      onOpenChange={(isOpen) => !isOpen && settle(false)}
      title={asked?.kind === 'session' ? 'Your session has ended' : 'Confirm that it’s you'}
      description={`${reasons[asked?.kind ?? 'any']} Then you can carry on where you left off.`}
    >
      {asked && <Proof kind={asked.kind} onDone={() => settle(true)} onClose={() => settle(false)} />}
    </Dialog>
  )
}

interface ProofProps {
  readonly kind: ProofKind
  readonly onDone: () => void
  readonly onClose: () => void
}

function Proof({ kind, onDone, onClose }: ProofProps) {
  const me = useMe()
  const [sent, setSent] = useState<SentCode | null>(null)
  const isSession = kind === 'session'
  const passkey = useMutation({
    mutationFn: () => (isSession ? signInAgainWithPasskey(me.person_id) : proveWithPasskey()),
    onSuccess: onDone,
  })
  const askForCode = ({ otp_id }: { readonly otp_id: string }) => setSent({ otpId: otp_id, email: me.email })
  const proof = useChange('startProof', { problems: 'form', onDone: askForCode })
  const signIn = useChange('startSignIn', { problems: 'form', onDone: askForCode })
  const code = isSession ? signIn : proof
  const sendCode = () => (isSession ? signIn.mutate({ body: { email: me.email } }) : proof.mutate({}))
  if (sent) {
    return (
      <CodeForm
        sent={sent}
        operation={isSession ? 'signInWithCode' : 'proveWithCode'}
        submit="Continue"
        back="Cancel"
        onDone={onDone}
        onSent={setSent}
        onBack={onClose}
      />
    )
  }
  const hasPasskey = me.has_passkey && canUsePasskeys
  if (kind === 'passkey' && !hasPasskey) {
    return (
      <Link to="/account" search={{ open: 'make-passkey' }} className={buttonClass()} onClick={onClose}>
        Create a passkey on your account page
      </Link>
    )
  }
  return (
    <div className="flex flex-col gap-3">
      <FormProblem error={passkey.error ?? code.error} />
      {hasPasskey && (
        <Button variant="primary" isBusy={passkey.isPending} onClick={() => passkey.mutate()}>
          <KeyRound aria-hidden="true" />
          Use a passkey
        </Button>
      )}
      {kind !== 'passkey' && (
        <Button variant={hasPasskey ? 'secondary' : 'primary'} isBusy={code.isPending} onClick={sendCode}>
          <Mail aria-hidden="true" />
          Send a code to {me.email}
        </Button>
      )}
    </div>
  )
}
