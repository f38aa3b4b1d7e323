/**
 * Some changes need a recent proof of who the person is, or one by a passkey, and all need a session. A call waits here
 * until the person has given it in a dialog, and then goes on with what was typed. Outside React, since every call may
 * need it.
 */
import { useSyncExternalStore } from 'react'
import { ApiError, isSignedOut } from './api-error.ts'

export type ProofKind = 'any' | 'passkey' | 'session'

interface Asked {
  readonly kind: ProofKind
  readonly answer: Promise<boolean>
  readonly settle: (isProven: boolean) => void
}

let asked: Asked | null = null
const listeners = new Set<() => void>()

function change(next: Asked | null): void {
  asked = next
  for (const listener of listeners) listener()
}

/** What kind of proof a refusal asks for, if it does. */
export function proofNeeded(error: unknown): ProofKind | null {
  if (!(error instanceof ApiError)) return null
  if (isSignedOut(error)) return 'session'
  if (error.type === 'FreshSignInNeededError') return 'any'
  return error.type === 'PasskeyNeededError' ? 'passkey' : null
}

/** Whether the person is being asked. */
export const isAsking = (): boolean => asked !== null

/** Calls that ask at the same time share one dialog. False if the person has closed it. */
export function askForProof(kind: ProofKind): Promise<boolean> {
  if (asked) {
    // Without a session no other proof can be given.
    if (kind === 'session') change({ ...asked, kind })
    return asked.answer
  }
  let settle: Asked['settle'] = () => {}
  const answer = new Promise<boolean>((resolve) => {
    settle = (isProven) => {
      change(null)
      resolve(isProven)
    }
  })
  change({ kind, answer, settle })
  return answer
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export const useAskedProof = (): Asked | null => useSyncExternalStore(subscribe, () => asked)
