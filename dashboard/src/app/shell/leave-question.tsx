import { useBlocker } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { Question } from '#components/ui/confirm.tsx'
import { askWith, hasUnsaved, hasUnsavedInDialog } from '#lib/unsaved.ts'

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

const isOpenIn = ({ search }: Spot) => 'open' in search && search.open !== undefined

/**
 * The way back from an open dialog closes it. On the way to the sign-in page nothing is asked: without a session nothing
 * can be saved any more.
 */
const losesForms = (current: Spot, next: Spot) =>
  next.routeId !== '/sign-in' &&
  (viewOf(current) === viewOf(next)
    ? isOpenIn(current) && !isOpenIn(next) && hasUnsavedInDialog()
    : hasUnsaved())

/** Asks before a page with unsaved changes is left; the browser asks before its tab is closed. */
export function LeaveQuestion() {
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: ({ current, next }) => losesForms(current, next),
    enableBeforeUnload: hasUnsaved,
    withResolver: true,
  })
  /** Waits for the answer, if something else than a move would lose them. */
  const [asked, setAsked] = useState<{ readonly settle: (mayBeLost: boolean) => void } | null>(null)
  useEffect(() => askWith(() => new Promise((settle) => setAsked({ settle }))), [])
  const answer = (isLeaving: boolean) => {
    if (asked) asked.settle(isLeaving)
    else if (isLeaving) proceed?.()
    else reset?.()
    setAsked(null)
  }
  return (
    <Question
      isOpen={status === 'blocked' || asked !== null}
      onOpenChange={() => answer(false)}
      title="Leave without saving?"
      description="Your changes on this page are not saved yet and will be lost."
      action="Leave"
      cancel="Stay"
      onConfirm={async () => answer(true)}
    />
  )
}
