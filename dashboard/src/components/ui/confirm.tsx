import { Cancel, Content, Description, Overlay, Portal, Root, Title, Trigger } from 'radix-ui/alert-dialog'
import { type FormEvent, type ReactNode, useState } from 'react'
import { cx } from '#lib/classes.ts'
import { toastProblem } from '#lib/toast.ts'
import { useIsHere } from '#lib/use-is-here.ts'
import { Button } from './button.tsx'
import { overlayClass, panelClass, useReturnedFocus } from './panel.ts'
import { FormProblem } from './problem.tsx'

interface QuestionProps {
  readonly isOpen: boolean
  readonly onOpenChange: (isOpen: boolean) => void
  readonly title: string
  readonly description: ReactNode
  readonly action: string
  readonly cancel?: string
  readonly tone?: 'danger' | 'calm'
  readonly onConfirm: () => Promise<unknown>
  /** The button that opens the question. Without one, the focus returns to where it was. */
  readonly trigger?: ReactNode
}

/**
 * Asks before something that cannot be undone. It closes once that is done, and stays open if it is refused. Somebody who
 * has closed it before the answer came hears of a refusal in a toast.
 */
export function Question(props: QuestionProps) {
  const { isOpen, onOpenChange, title, description, action, cancel = 'Cancel', tone = 'danger' } = props
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const returnedFocus = useReturnedFocus()
  const isHere = useIsHere(isOpen)

  const confirm = async (event: FormEvent) => {
    event.preventDefault()
    // React would pass the event on to the form around the question, though the question is drawn elsewhere.
    event.stopPropagation()
    if (isBusy) return
    setBusy(true)
    setError(null)
    try {
      await props.onConfirm()
      if (isHere()) onOpenChange(false)
    } catch (refusal) {
      if (isHere()) setError(refusal)
      else toastProblem(refusal)
    } finally {
      setBusy(false)
    }
  }

  return (
    <Root
      open={isOpen}
      onOpenChange={(next) => {
        onOpenChange(next)
        setError(null)
      }}
    >
      {props.trigger && <Trigger asChild>{props.trigger}</Trigger>}
      <Portal>
        <Overlay className={overlayClass} />
        <Content className={cx(panelClass, 'sm:max-w-md')} {...(props.trigger ? {} : returnedFocus)}>
          <form onSubmit={confirm} className="flex flex-col gap-3 px-5 pt-4">
            <Title className="font-semibold">{title}</Title>
            <Description asChild>
              <div className="text-sm text-muted">{description}</div>
            </Description>
            <FormProblem error={error} />
            <div className="-mx-5 mt-1 flex justify-end gap-2 border-t bg-page px-5 py-3">
              <Cancel asChild>
                <Button>{cancel}</Button>
              </Cancel>
              <Button type="submit" variant={tone === 'danger' ? 'danger-solid' : 'primary'} isBusy={isBusy}>
                {action}
              </Button>
            </div>
          </form>
        </Content>
      </Portal>
    </Root>
  )
}

interface ConfirmProps extends Omit<QuestionProps, 'isOpen' | 'onOpenChange' | 'cancel'> {
  readonly trigger: ReactNode
}

export function Confirm(props: ConfirmProps) {
  const [isOpen, setOpen] = useState(false)
  return <Question {...props} isOpen={isOpen} onOpenChange={setOpen} />
}
