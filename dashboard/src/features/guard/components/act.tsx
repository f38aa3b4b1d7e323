import { type ReactNode, useEffect, useRef, useState } from 'react'
import { Button } from '#components/ui/button.tsx'
import { Tooltip } from '#components/ui/tooltip.tsx'
import { toastProblem } from '#lib/toast.ts'

/** Something that was done with one click. */
export interface Done {
  readonly text: string
  /** Takes it back; null once that is done. */
  readonly undo: (() => Promise<unknown>) | null
}

interface ActProps extends Done {
  /** With the name of the place, for those who hear the button by itself. */
  readonly label: string
  readonly hint: string
  readonly act: () => Promise<unknown>
  readonly onDone: (done: Done) => void
  readonly children: ReactNode
}

/** Acts at once. Whoever clicked by mistake takes it back, which is quicker than being asked each time. */
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

/** Says what was done. It gets the focus, since the button that was pressed is often gone with its row. */
export function DoneNotice({ done, onDone }: NoticeProps) {
  const { isBusy, run } = useRun()
  const notice = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (!done) return
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
                  onDone({ text: 'Taken back: it is as it was.', undo: null })
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

/** One at a time; what is refused is said in a corner. */
function useRun() {
  const [isBusy, setBusy] = useState(false)
  const run = async (work: () => Promise<void>) => {
    setBusy(true)
    await work().catch(toastProblem)
    setBusy(false)
  }
  return { isBusy, run }
}
