import { Button } from '#components/ui/button.tsx'
import { Confirm } from '#components/ui/confirm.tsx'
import { useMayChangeApp } from '#lib/app.ts'
import { useRemoveEndpoint } from '../api/endpoint.ts'

export function RemoveEndpoint({ appId }: { readonly appId: string }) {
  const { may, reason } = useMayChangeApp(appId)
  const remove = useRemoveEndpoint()
  const button = (
    <Button variant="danger" disabledReason={reason}>
      Remove the endpoint
    </Button>
  )
  if (!may) return button
  return (
    <Confirm
      trigger={button}
      title="Remove the endpoint?"
      description="Your backend will not be told about events any more. Events that are waiting or held are skipped; they stay in the list and can be replayed once there is an endpoint again. It gets a new secret."
      action="Remove the endpoint"
      onConfirm={() => remove.mutateAsync({ params: { app_id: appId } })}
    />
  )
}
