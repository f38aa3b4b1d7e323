import { Cancel, Content, Description, Overlay, Portal, Root, Title, Trigger } from 'radix-ui/alert-dialog'
import { type FormEvent, type ReactNode, useState } from 'react'
import { cx } from '#lib/classes.ts'
import { Button } from './button.tsx'
import { overlayClass, panelClass } from './dialog.tsx'
import { FormProblem } from './problem.tsx'

interface ConfirmProps {
  /** What opens the question: a button. */
  readonly trigger: ReactNode
  readonly title: string
  readonly description: ReactNode
  readonly action: string
  readonly tone?: 'danger' | 'calm'
  readonly onConfirm: () => Promise<unknown>
}

/** Asks before something that cannot be taken back. It closes once it is done, and stays when refused. */
export function Confirm({ trigger, title, description, action, tone = 'danger', onConfirm }: ConfirmProps) {
  const [isOpen, setOpen] = useState(false)
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>(null)

  const confirm = async (event: FormEvent) => {
    event.preventDefault()
    // Though it is drawn elsewhere, React would take it to the form that the question was asked in.
    event.stopPropagation()
    if (isBusy) return
    setBusy(true)
    setError(null)
    try {
      await onConfirm()
      setOpen(false)
    } catch (refusal) {
      setError(refusal)
    } finally {
      setBusy(false)
    }
  }

  return (
    <Root
      open={isOpen}
      onOpenChange={(next) => {
        setOpen(next)
        setError(null)
      }}
    >
      <Trigger asChild>{trigger}</Trigger>
      <Portal>
        <Overlay className={overlayClass} />
        <Content className={cx(panelClass, 'sm:max-w-md')}>
          <form onSubmit={confirm} className="flex flex-col gap-3 px-5 pt-4">
            <Title className="font-semibold">{title}</Title>
            <Description asChild>
              <div className="text-sm text-muted">{description}</div>
            </Description>
            <FormProblem error={error} />
            <div className="-mx-5 mt-1 flex justify-end gap-2 border-t bg-page px-5 py-3">
              <Cancel asChild>
                <Button>Cancel</Button>
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
