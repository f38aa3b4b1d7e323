import X from 'lucide-react/icons/x'
import { Close, Content, Description, Overlay, Portal, Root, Title } from 'radix-ui/dialog'
import { createContext, type ReactNode, useContext, useEffect, useRef, useState } from 'react'
import { cx } from '#lib/classes.ts'
import { Button } from './button.tsx'
import { Question } from './confirm.tsx'
import { overlayClass, panelClass, useReturnedFocus } from './panel.ts'

interface DialogProps {
  readonly isOpen: boolean
  readonly onOpenChange: (isOpen: boolean) => void
  readonly title: string
  readonly description?: ReactNode
  readonly children: ReactNode
  readonly className?: string
}

/** Why a dialog asks before it closes: its form is filled in, or waits for an answer. */
type Hold = 'filled' | 'sending'

const questions = {
  filled: {
    title: 'Discard what you entered?',
    description: 'It has not been saved.',
    action: 'Discard',
    cancel: 'Keep editing',
  },
  sending: {
    title: 'Stop waiting for the answer?',
    description: 'It may be done all the same.',
    action: 'Stop waiting',
    cancel: 'Wait',
  },
} as const satisfies Record<Hold, object>

interface Held {
  readonly setHold: (hold: Hold | null) => void
  readonly close: () => void
}

const HeldDialog = createContext<Held>({ setHold: () => {}, close: () => {} })

/** While its form holds it, a dialog asks before it closes. */
export function useHold(hold: Hold | null): void {
  const { setHold } = useContext(HeldDialog)
  useEffect(() => {
    setHold(hold)
    return () => setHold(null)
  }, [hold, setHold])
}

export function Dialog({ isOpen, onOpenChange, title, description, children, className }: DialogProps) {
  const [hold, setHold] = useState<Hold | null>(null)
  const [asked, setAsked] = useState<Hold | null>(null)
  // An answer came while somebody was asked: the question is about something else now, or about nothing.
  if (asked !== null && asked !== hold) setAsked(null)
  const close = () => (hold ? setAsked(hold) : onOpenChange(false))
  return (
    <Root open={isOpen} onOpenChange={(next) => (next ? onOpenChange(true) : close())}>
      <Portal>
        {/* A click beside the dialog does not take the focus out of it. */}
        <Overlay className={overlayClass} onMouseDown={(event) => event.preventDefault()} />
        <Content
          className={cx(panelClass, 'sm:max-w-lg', className)}
          {...(description ? {} : { 'aria-describedby': undefined })}
          {...useReturnedFocus()}
          {...useKeptOpen(isOpen)}
          // The Tab key moves from the last control to the first, which may be scrolled out of sight.
          onFocus={({ target }) => target.scrollIntoView({ block: 'nearest' })}
        >
          <header className="border-b py-3.5 pr-14 pl-5">
            <Title className="font-semibold">{title}</Title>
            {description && <Description className="mt-0.5 text-sm text-muted">{description}</Description>}
          </header>
          <div className="min-h-0 scroll-pt-2 scroll-pb-18 overflow-y-auto px-5 py-4">
            {/* A box of its own: Safari would add the padding to a row of buttons that reaches to the edges, and scroll. */}
            <div className="flex flex-col gap-4">
              <HeldDialog value={{ setHold, close }}>{children}</HeldDialog>
            </div>
          </div>
          {/* Last, so that the focus starts on the first control. No tooltip, since it would take the Escape key. */}
          <Close asChild>
            <Button variant="ghost" aria-label="Close" className="absolute top-2.5 right-3 w-8 px-0">
              <X aria-hidden="true" />
            </Button>
          </Close>
          <Question
            {...questions[asked ?? 'filled']}
            isOpen={asked !== null}
            onOpenChange={() => setAsked(null)}
            onConfirm={async () => onOpenChange(false)}
          />
        </Content>
      </Portal>
    </Root>
  )
}

const doubleClickMs = 500

/**
 * A click outside closes the dialog, but not once something is typed, and not if it is the second click of a double-click
 * that opened it.
 */
function useKeptOpen(isOpen: boolean) {
  const hasInput = useRef(false)
  const openedAtMs = useRef(0)
  if (!isOpen) hasInput.current = false
  useEffect(() => {
    if (isOpen) openedAtMs.current = Date.now()
  }, [isOpen])
  return {
    onInput: () => {
      hasInput.current = true
    },
    onInteractOutside: (event: Event) => {
      if (hasInput.current || Date.now() - openedAtMs.current < doubleClickMs) event.preventDefault()
    },
  }
}

interface DialogActionsProps {
  readonly submit: string
  readonly tone?: 'primary' | 'danger-solid'
  readonly isSending: boolean
  readonly onCancel: () => void
  readonly disabledReason?: string | undefined
}

/** The buttons of a form in a dialog. They stay in sight while a long form scrolls, except in a very low window. */
export const DialogActions = (props: DialogActionsProps) => {
  const { close } = useContext(HeldDialog)
  return (
    <div className="sticky -bottom-4 z-10 -mx-5 -mb-4 flex flex-wrap justify-end gap-2 border-t bg-page px-5 py-3 [@media(height<28rem)]:static">
      <Button onClick={props.isSending ? close : props.onCancel}>Cancel</Button>
      <Button
        type="submit"
        variant={props.tone ?? 'primary'}
        isBusy={props.isSending}
        disabledReason={props.disabledReason}
      >
        {props.submit}
      </Button>
    </div>
  )
}
