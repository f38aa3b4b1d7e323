import { type ErrorComponentProps, useRouter } from '@tanstack/react-router'
import { Problem } from '#components/ui/problem.tsx'
import { proofNeeded } from '#lib/proof.ts'
import { useTitle } from '#lib/title.ts'
import { PasskeyPage } from './passkey-page.tsx'

export function ErrorPage({ error, reset }: ErrorComponentProps) {
  const router = useRouter()
  const retry = () => {
    reset()
    void router.invalidate()
  }
  useTitle('Something went wrong')
  if (proofNeeded(error) === 'passkey') return <PasskeyPage onDone={retry} />
  return (
    <div className="container-page pt-10">
      <h1 className="sr-only">Something went wrong</h1>
      <Problem error={error} title="This page could not be shown" onRetry={retry} />
    </div>
  )
}
