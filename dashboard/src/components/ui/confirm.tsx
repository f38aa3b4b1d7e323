import { Cancel, Content, Description, Overlay, Portal, Root, Title, Trigger } from 'radix-ui/alert-dialog'
import { type FormEvent, type ReactNode, useId, useState } from 'react'
import { cx } from '#lib/classes.ts'
import { Button } from './button.tsx'
import { overlayClass, panelClass } from './dialog.tsx'
import { Input } from './input.tsx'
import { FormProblem } from './problem.tsx'

interface ConfirmProps {
  /** What opens the question: a button. */
  readonly trigger: ReactNode
  readonly title: string
  readonly description: ReactNode
  readonly action: string
  /** A word that has to be typed first, where much would be lost. */
  readonly typed?: string
  readonly tone?: 'danger' | 'calm'
  readonly onConfirm: () => Promise<unknown>
}

/** Asks before something that cannot be taken back. It closes once it is done, and stays when refused. */
export function Confirm({
  trigger,
  title,
  description,
  action,
  typed,
  tone = 'danger',
  onConfirm,
}: ConfirmProps) {
  const [isOpen, setOpen] = useState(false)
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const [word, setWord] = useState('')
  const wordId = useId()
  const isReady = typed === undefined || word.trim() === typed

  const confirm = async (event: FormEvent) => {
    event.preventDefault()
    if (!isReady || isBusy) return
    setBusy(true)
    setError(null)
    try {
      await onConfirm()
      setOpen(false)
    } catch (refusal) {
      setError(refusal)
    } finally {
      setBusy(false)
      setWord('')
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
            {typed !== undefined && (
              <div className="flex flex-col gap-1">
                <label htmlFor={wordId} className="text-sm">
                  Type <strong className="font-semibold">{typed}</strong> to go on
                </label>
                <Input id={wordId} value={word} onChange={(event) => setWord(event.target.value)} />
              </div>
            )}
            <FormProblem error={error} />
            <div className="-mx-5 mt-1 flex justify-end gap-2 border-t bg-page px-5 py-3">
              <Cancel asChild>
                <Button>Cancel</Button>
              </Cancel>
              <Button
                type="submit"
                variant={tone === 'danger' ? 'danger-solid' : 'primary'}
                isBusy={isBusy}
                disabled={!isReady}
              >
                {action}
              </Button>
            </div>
          </form>
        </Content>
      </Portal>
    </Root>
  )
}
