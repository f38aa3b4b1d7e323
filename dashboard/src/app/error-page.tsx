import { type ErrorComponentProps, useRouter } from '@tanstack/react-router'
import { Problem } from '#components/ui/problem.tsx'
import { isMissingPart, isReachable } from '#lib/missing-part.ts'
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
          // Browsers do not try again to load a script that failed until the page is reloaded.
          if (isMissingPart(error)) return void isReachable().then((is) => is && location.reload())
          reset()
          void router.invalidate()
        }}
      />
    </div>
  )
}
