import X from 'lucide-react/icons/x'
import { Close, Content, Description, Overlay, Portal, Root, Title } from 'radix-ui/dialog'
import { type ReactNode, useRef } from 'react'
import { cx } from '#lib/classes.ts'
import { Button } from './button.tsx'

export const overlayClass = 'fixed inset-0 z-40 animate-appear bg-[rgb(8_12_10/0.45)]'

/** Centred on a screen, at the lower edge of a phone. */
export const panelClass =
  'fixed z-40 flex max-h-[min(88dvh,46rem)] w-full flex-col overflow-hidden border bg-surface shadow-pop animate-rise ' +
  'inset-x-0 bottom-0 rounded-t-lg sm:inset-auto sm:top-1/2 sm:left-1/2 sm:-translate-1/2 sm:rounded-lg'

interface DialogProps {
  readonly isOpen: boolean
  readonly onOpenChange: (isOpen: boolean) => void
  readonly title: string
  readonly description?: ReactNode
  readonly children: ReactNode
  readonly className?: string
}

export const Dialog = ({ isOpen, onOpenChange, title, description, children, className }: DialogProps) => (
  <Root open={isOpen} onOpenChange={onOpenChange}>
    <Portal>
      <Overlay className={overlayClass} />
      <Content
        className={cx(panelClass, 'sm:max-w-lg', className)}
        {...(description ? {} : { 'aria-describedby': undefined })}
        {...useReturnedFocus()}
        {...useKeptInput(isOpen)}
      >
        <header className="border-b py-3.5 pr-14 pl-5">
          <Title className="font-semibold">{title}</Title>
          {description && <Description className="mt-0.5 text-sm text-muted">{description}</Description>}
        </header>
        <div className="flex min-h-0 flex-col gap-4 overflow-y-auto px-5 py-4">{children}</div>
        {/* Last, so that the dialog opens on its first control. Without a tooltip, which would take the Escape key. */}
        <Close asChild>
          <Button variant="ghost" aria-label="Close" className="!absolute top-2.5 right-3 w-8 !px-0">
            <X aria-hidden="true" />
          </Button>
        </Close>
      </Content>
    </Portal>
  </Root>
)

/** Without a trigger of its own a dialog does not know whom to give the focus back to. */
export function useReturnedFocus() {
  const opener = useRef<Element | null>(null)
  return {
    onOpenAutoFocus: () => {
      opener.current = document.activeElement
    },
    onCloseAutoFocus: (event: Event) => {
      event.preventDefault()
      const isThere = opener.current?.isConnected && opener.current !== document.body
      const target = isThere ? opener.current : document.getElementById('content')
      if (target instanceof HTMLElement) target.focus({ preventScroll: true })
    },
  }
}

/** Once something is typed, a press beside the dialog does not throw it away: closing takes a button or Escape. */
function useKeptInput(isOpen: boolean) {
  const hasInput = useRef(false)
  if (!isOpen) hasInput.current = false
  return {
    onInput: () => {
      hasInput.current = true
    },
    onInteractOutside: (event: Event) => {
      if (hasInput.current) event.preventDefault()
    },
  }
}

interface DialogActionsProps {
  readonly submit: string
  readonly isSending: boolean
  readonly onCancel: () => void
  readonly disabledReason?: string | undefined
}

/** The last row of a form in a dialog; in sight however long the form is. */
export const DialogActions = ({ submit, isSending, onCancel, disabledReason }: DialogActionsProps) => (
  <div className="sticky -bottom-4 z-10 -mx-5 -mb-4 flex justify-end gap-2 border-t bg-page px-5 py-3">
    <Button onClick={onCancel}>Cancel</Button>
    <Button type="submit" variant="primary" isBusy={isSending} disabledReason={disabledReason}>
      {submit}
    </Button>
  </div>
)
