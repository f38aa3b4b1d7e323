import { Button } from '#components/ui/button.tsx'
import { Confirm } from '#components/ui/confirm.tsx'
import { useMayChangeApp } from '#lib/app.ts'
import { useRemoveEndpoint } from './changes.ts'
import type { EndpointParams } from './params.ts'

interface RemoveEndpointProps {
  readonly params: EndpointParams
  /** Whether the app has no other endpoint that would still get events. */
  readonly isOnly: boolean
}

export function RemoveEndpoint({ params, isOnly }: RemoveEndpointProps) {
  const { may, reason } = useMayChangeApp(params.app_id)
  const remove = useRemoveEndpoint()
  const button = (
    <Button variant="danger" disabledReason={reason}>
      Remove the endpoint
    </Button>
  )
  if (!may) return button
  const told = isOnly
    ? 'Your backend will no longer receive events.'
    : 'Nothing more is sent to this address. Your other endpoints are not affected.'
  return (
    <Confirm
      trigger={button}
      title="Remove the endpoint?"
      description={`${told} Events that are waiting or held for it are skipped; they stay in the list and can be replayed to another endpoint. A new one gets a new secret.`}
      action="Remove the endpoint"
      onConfirm={() => remove.mutateAsync({ params })}
    />
  )
}
