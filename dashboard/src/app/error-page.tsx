import { type ErrorComponentProps, useRouter } from '@tanstack/react-router'
import { Problem } from '#components/ui/problem.tsx'
import { useTitle } from '#lib/title.ts'

export function ErrorPage({ error, reset }: ErrorComponentProps) {
  const router = useRouter()
  useTitle('Something went wrong')
  return (
    <div className="container-page pt-10">
      <h1 className="sr-only">Something went wrong</h1>
      <Problem
        error={error}
        title="This page could not be shown"
        onRetry={() => {
          reset()
          void router.invalidate()
        }}
      />
    </div>
  )
}
