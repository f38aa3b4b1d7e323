import { useMutation } from '@tanstack/react-query'
import { signInWithPasskey } from '#lib/passkey.ts'
import { useChange } from '#lib/use-change.ts'

interface Sent {
  readonly otp_id: string
}

export const useStartSignIn = (onDone: (sent: Sent) => void = () => {}) =>
  useChange('startSignIn', { problems: 'form', onDone })

/** Sends a code to somebody who is signed in. */
export const useStartProof = (onDone: (sent: Sent) => void) =>
  useChange('startProof', { problems: 'form', onDone })

/** Signs in, or proves who one is within a session. */
export type CodeOperation = 'signInWithCode' | 'proveWithCode'

export const useEnterCode = (operation: CodeOperation) => useChange(operation, { problems: 'form' })

export const useSignInWithLink = (onDone: () => void) =>
  useChange('signInWithLink', { problems: 'form', onDone })

export const useSignInWithPasskey = (onDone: () => void) =>
  useMutation({ mutationFn: signInWithPasskey, onSuccess: onDone })
