import { useQueryClient } from '@tanstack/react-query'
import { useRouter, useSearch } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { isSignedOut } from '#lib/api-error.ts'
import { pathWithin } from '#lib/return-path.ts'
import { meQuery } from '#lib/session.ts'
import { useTitle } from '#lib/title.ts'
import { CodeForm } from './components/code-form.tsx'
import { EmailForm } from './components/email-form.tsx'
import { LinkSignIn } from './components/link-sign-in.tsx'
import { PasskeySignIn } from './components/passkey-sign-in.tsx'
import { readLinkToken } from './lib/link-token.ts'
import type { SentCode } from './lib/sent-code.ts'

export function SignInPage() {
  useTitle('Sign in')
  const client = useQueryClient()
  const router = useRouter()
  const { return: wanted } = useSearch({ from: '/sign-in' })
  const [token, setToken] = useState(readLinkToken)
  const [sent, setSent] = useState<SentCode | null>(null)
  const [email, setEmail] = useState('')
  /** Whether somebody has signed in, but the browser has not kept the cookie. */
  const [isForgotten, setForgotten] = useState(false)
  // A link pasted into the address bar of this page changes only what follows the `#`, and does not reload it.
  useEffect(() => {
    const takeToken = () => setToken((current) => readLinkToken() ?? current)
    addEventListener('hashchange', takeToken)
    return () => removeEventListener('hashchange', takeToken)
  }, [])

  const enter = async () => {
    client.clear()
    const isForgotten = await client.fetchQuery(meQuery).then(() => false, isSignedOut)
    if (isForgotten) setForgotten(true)
    else router.history.replace(pathWithin(wanted))
  }

  return (
    // Aligned to a fixed top, so that a message below a field moves nothing above it.
    <main className="flex min-h-dvh justify-center px-4 pt-[max(2.5rem,26dvh)] pb-10">
      <div className="flex w-full max-w-sm flex-col gap-6">
        <header className="flex flex-col gap-3">
          <img src={`${import.meta.env.BASE_URL}mark.svg`} alt="" className="size-9" />
          <h1 className="text-xl font-semibold">Sign in to Countersign</h1>
          {wanted && wanted !== '/' && (
            <p className="text-sm text-muted">
              You have not signed in yet, or your session has ended. Sign in to continue where you were.
            </p>
          )}
        </header>
        {isForgotten ? (
          <p role="alert">
            You were signed in, but your browser did not keep the session. Allow cookies for this address; if
            it begins with http, try it with https. Then sign in again.
          </p>
        ) : token !== null ? (
          <LinkSignIn key={token} token={token} onDone={enter} onGiveUp={() => setToken(null)} />
        ) : sent ? (
          <CodeForm
            sent={sent}
            onDone={enter}
            onSent={setSent}
            onBack={() => {
              setEmail(sent.email)
              setSent(null)
            }}
          />
        ) : (
          <>
            <EmailForm email={email} onSent={setSent} />
            <PasskeySignIn onDone={enter} />
          </>
        )}
      </div>
    </main>
  )
}
