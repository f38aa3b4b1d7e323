import { Button } from '#components/ui/button.tsx'
import { Confirm } from '#components/ui/confirm.tsx'
import { useMayChangeApp } from '#lib/app.ts'
import { useRotateSecret } from './changes.ts'
import type { EndpointParams } from './params.ts'

interface RotateSecretProps {
  readonly params: EndpointParams
  readonly onSecret: (secret: string | null) => void
}

export function RotateSecret({ params, onSecret }: RotateSecretProps) {
  const { may, reason } = useMayChangeApp(params.app_id)
  const rotate = useRotateSecret(onSecret)
  const button = (
    <Button size="sm" disabledReason={reason}>
      Rotate
    </Button>
  )
  if (!may) return button
  return (
    <Confirm
      trigger={button}
      tone="calm"
      title="Rotate the signing secret?"
      description={
        <div className="flex flex-col gap-2">
          <p>
            The next attempts are signed with a new secret, which you see once. For 24 hours they are also
            signed with the current one, so that your endpoint keeps working while you replace it.
          </p>
          <p>If it was already rotated in the last 24 hours, the secret before that stops working at once.</p>
        </div>
      }
      action="Rotate the secret"
      onConfirm={() => rotate.mutateAsync({ params })}
    />
  )
}
