import { useEffect, useRef } from 'react'
import { Button, Spinner } from '#components/ui/button.tsx'
import { RequestId } from '#components/ui/problem.tsx'
import { isNotFound, isUnanswered, messageOf } from '#lib/api-error.ts'
import { useSignInWithLink } from '../api/sign-in.ts'
import { forgetLinkToken } from '../lib/link-token.ts'

interface LinkSignInProps {
  readonly token: string
  readonly onDone: () => void
  readonly onGiveUp: () => void
}

export function LinkSignIn({ token, onDone, onGiveUp }: LinkSignInProps) {
  const { mutate, error } = useSignInWithLink(onDone)
  const isAsked = useRef(false)
  useEffect(() => {
    // The token works only once, and React runs effects twice in development.
    if (isAsked.current) return
    isAsked.current = true
    forgetLinkToken()
    mutate({ body: { token } })
  }, [mutate, token])

  if (!error) {
    return (
      <p role="status" className="flex items-center gap-2 text-muted">
        <Spinner /> Signing you in
      </p>
    )
  }
  return (
    <div role="alert" className="flex flex-col items-start gap-3">
      <p>{isNotFound(error) ? 'This link has already been used or has expired.' : messageOf(error)}</p>
      <RequestId error={error} />
      <div className="flex flex-wrap gap-2">
        {isUnanswered(error) && (
          <Button variant="primary" onClick={() => mutate({ body: { token } })}>
            Try again
          </Button>
        )}
        <Button onClick={onGiveUp}>Sign in with your email address</Button>
      </div>
    </div>
  )
}
