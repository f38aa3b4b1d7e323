import { Button } from '#components/ui/button.tsx'
import { Confirm } from '#components/ui/confirm.tsx'
import { useMayChangeApp } from '#lib/app.ts'
import { formatRelative } from '#lib/format.ts'
import { useRevokeKey } from '../api/keys.ts'
import { type Key, kindWords } from '../lib/kinds.ts'

interface RevokeKeyProps {
  readonly appId: string
  readonly apiKey: Key
}

export function RevokeKey({ appId, apiKey: { key_id, name, kind, last_used_at } }: RevokeKeyProps) {
  const { may, reason } = useMayChangeApp(appId)
  const revoke = useRevokeKey()
  const called = name ?? key_id
  const button = (
    <Button size="sm" variant="danger" disabledReason={reason} aria-label={`Revoke ${called}`}>
      Revoke
    </Button>
  )
  if (!may) return button
  return (
    <Confirm
      trigger={button}
      title={`Revoke ${called}?`}
      description={
        <div className="flex flex-col gap-2">
          <p>{kindWords[kind].breaks}</p>
          <p>
            {last_used_at
              ? `It was last used ${formatRelative(last_used_at)}.`
              : 'As far as we know, it has never been used.'}{' '}
            Calls with it are refused within a second, and this cannot be undone.
          </p>
        </div>
      }
      action="Revoke the key"
      onConfirm={() => revoke.mutateAsync({ params: { key_id } })}
    />
  )
}
