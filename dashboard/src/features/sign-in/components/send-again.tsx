import { Button } from '#components/ui/button.tsx'
import { FormProblem } from '#components/ui/problem.tsx'
import { toast } from '#lib/toast.ts'
import { useStartProof, useStartSignIn } from '../api/sign-in.ts'
import type { SentCode } from '../lib/sent-code.ts'

interface SendAgainProps {
  readonly operation: 'startSignIn' | 'startProof'
  readonly email: string
  readonly onSent: (sent: SentCode) => void
}

/** Sends another code to the same address. The service decides how soon that is possible. */
export function SendAgain({ operation, email, onSent }: SendAgainProps) {
  const done = ({ otp_id }: { readonly otp_id: string }) => {
    toast(`A new code is on its way to ${email}`)
    onSent({ otpId: otp_id, email })
  }
  const signIn = useStartSignIn(done)
  const proof = useStartProof(done)
  const { error, isPending } = operation === 'startSignIn' ? signIn : proof
  return (
    <>
      <FormProblem error={error} />
      <Button
        variant="ghost"
        size="sm"
        className="self-start"
        isBusy={isPending}
        onClick={() => (operation === 'startSignIn' ? signIn.mutate({ body: { email } }) : proof.mutate({}))}
      >
        Send the code again
      </Button>
    </>
  )
}
