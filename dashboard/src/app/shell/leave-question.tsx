import { useBlocker } from '@tanstack/react-router'
import { Question } from '#components/ui/confirm.tsx'
import { hasUnsaved } from '#lib/unsaved.ts'

interface Spot {
  readonly routeId: string
  readonly pathname: string
  readonly search: object
}

/** Search parameters that switch the same page to other forms. */
const views = ['tab', 'app']

const viewOf = ({ pathname, search }: Spot) => {
  const values = new Map(Object.entries(search))
  return JSON.stringify([pathname, ...views.map((view) => values.get(view) ?? null)])
}

/** On the way to the sign-in page nothing is asked: without a session nothing can be saved any more. */
const losesForms = (current: Spot, next: Spot) =>
  next.routeId !== '/sign-in' && viewOf(current) !== viewOf(next)

/** Asks before a page with unsaved changes is left; the browser asks before its tab is closed. */
export function LeaveQuestion() {
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: ({ current, next }) => hasUnsaved() && losesForms(current, next),
    enableBeforeUnload: hasUnsaved,
    withResolver: true,
  })
  return (
    <Question
      isOpen={status === 'blocked'}
      onOpenChange={() => reset?.()}
      title="Leave without saving?"
      description="Your changes on this page are not saved yet and will be lost."
      action="Leave"
      cancel="Stay"
      onConfirm={async () => proceed?.()}
    />
  )
}
