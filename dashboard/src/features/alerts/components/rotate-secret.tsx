import { Button } from '#components/ui/button.tsx'
import { Confirm } from '#components/ui/confirm.tsx'
import type { Permission } from '#lib/session.ts'
import { type AlertOwner, useRotateSecret } from '../api/alerts.ts'

interface RotateSecretProps {
  readonly owner: AlertOwner
  readonly permission: Permission
  readonly onSecret: (secret: string) => void
}

export function RotateSecret({ owner, permission, onSecret }: RotateSecretProps) {
  const rotate = useRotateSecret(owner, onSecret)
  const button = <Button disabledReason={permission.reason}>Rotate the signing secret</Button>
  if (!permission.may) return button
  return (
    <Confirm
      trigger={button}
      tone="calm"
      title="Rotate the signing secret of alerts?"
      description={
        <div className="flex flex-col gap-2">
          <p>
            The next alerts to webhooks are signed with a new secret, which you see once. For 24 hours they
            are also signed with the current one.
          </p>
          <p>If it was already rotated in the last 24 hours, the secret before that stops working at once.</p>
        </div>
      }
      action="Rotate the secret"
      onConfirm={rotate}
    />
  )
}
