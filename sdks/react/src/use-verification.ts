/** A verification as a React hook. */
import {
  createVerification,
  type Verification,
  type VerificationOptions,
  type VerificationState,
} from '@countersign/web'
import { useState, useSyncExternalStore } from 'react'

export type UseVerification = VerificationState & Omit<Verification, 'getState' | 'subscribe'>

/** One verification for the life of the component; the options of the first render count. */
export function useVerification(options: VerificationOptions): UseVerification {
  const [{ getState, subscribe, ...actions }] = useState(() => createVerification(options))
  return { ...useSyncExternalStore(subscribe, getState, getState), ...actions }
}
