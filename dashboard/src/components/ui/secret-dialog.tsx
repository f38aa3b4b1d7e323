import { type ReactNode, useState } from 'react'
import { Button } from '#components/ui/button.tsx'
import { SecretOnce } from '#components/ui/copy.tsx'
import { Dialog } from '#components/ui/dialog.tsx'

interface SecretDialogProps {
  readonly title: string
  readonly label: string
  readonly secret: string
  /** Further text about the secret. */
  readonly children?: ReactNode
  readonly onClose: () => void
}

/** Shows a secret, once. It is not closed by accident: that takes its button, or a second attempt. */
export function SecretDialog({ title, label, secret, children, onClose }: SecretDialogProps) {
  const [isWarned, setWarned] = useState(false)
  return (
    <Dialog isOpen onOpenChange={() => (isWarned ? onClose() : setWarned(true))} title={title}>
      <SecretOnce label={label} secret={secret} />
      {children}
      {isWarned && (
        <p role="alert" className="text-sm font-medium text-bad">
          You cannot see it again after closing. If you have saved it, close it again.
        </p>
      )}
      <div className="-mx-5 -mb-4 flex justify-end border-t bg-page px-5 py-3">
        <Button variant="primary" onClick={onClose}>
          I have copied it
        </Button>
      </div>
    </Dialog>
  )
}
