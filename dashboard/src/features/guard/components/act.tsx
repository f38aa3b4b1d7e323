import { type ReactNode, useEffect, useRef, useState } from 'react'
import { Button } from '#components/ui/button.tsx'
import { Tooltip } from '#components/ui/tooltip.tsx'
import { toastProblem } from '#lib/toast.ts'

/** Something that was done with one click. */
export interface Done {
  readonly text: string
  /** Undoes it; null once it has been undone. */
  readonly undo: (() => Promise<unknown>) | null
}

interface ActProps extends Done {
  /** The label for screen readers, with the name of the place. */
  readonly label: string
  readonly hint: string
  readonly act: () => Promise<unknown>
  readonly onDone: (done: Done) => void
  readonly children: ReactNode
}

/** Acts at once. Undoing a mistake is quicker than being asked each time. */
export function Act({ label, hint, act, text, undo, onDone, children }: ActProps) {
  const { isBusy, run } = useRun()
  return (
    <Tooltip text={hint}>
      <Button
        size="sm"
        aria-label={label}
        isBusy={isBusy}
        onClick={() =>
          run(async () => {
            await act()
            onDone({ text, undo })
          })
        }
      >
        {children}
      </Button>
    </Tooltip>
  )
}

interface NoticeProps {
  readonly done: Done | null
  readonly onDone: (done: Done) => void
}

/** Says what was done. It takes the focus, since the pressed button is often gone with its row. */
export function DoneNotice({ done, onDone }: NoticeProps) {
  const { isBusy, run } = useRun()
  const notice = useRef<HTMLDivElement>(null)
  // What was done before somebody came back to the tab does not take the focus again.
  const said = useRef(done)
  useEffect(() => {
    if (!done || done === said.current) return
    said.current = done
    notice.current?.focus({ preventScroll: true })
    notice.current?.scrollIntoView({ block: 'nearest' })
  }, [done])
  const undo = done?.undo
  return (
    <div ref={notice} role="status" tabIndex={-1} className="outline-none">
      {done && (
        <div className="mx-4 mb-3 flex flex-wrap items-center justify-between gap-2 rounded-md border bg-page px-3 py-2 text-sm">
          <p className="min-w-0">{done.text}</p>
          {undo && (
            <Button
              size="sm"
              isBusy={isBusy}
              onClick={() =>
                run(async () => {
                  await undo()
                  onDone({ text: 'Undone.', undo: null })
                })
              }
            >
              Undo
            </Button>
          )}
        </div>
      )}
    </div>
  )
}

/** Runs one action, with a busy state. A refusal becomes a toast. */
function useRun() {
  const [isBusy, setBusy] = useState(false)
  const run = async (work: () => Promise<void>) => {
    setBusy(true)
    await work().catch(toastProblem)
    setBusy(false)
  }
  return { isBusy, run }
}
