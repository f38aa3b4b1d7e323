import { Link } from '@tanstack/react-router'
import { Button } from '#components/ui/button.tsx'
import { SecretOnce } from '#components/ui/copy.tsx'
import { textLink } from '#components/ui/text-link.tsx'
import { useMayChangeApp } from '#lib/app.ts'
import { useCreateFirstKey } from '../api/create-key.ts'

interface KeyStepProps {
  readonly appId: string
  readonly secret: string | null
  readonly onKey: (key: string) => void
}

export function KeyStep({ appId, secret, onKey }: KeyStepProps) {
  const { reason } = useMayChangeApp(appId)
  const create = useCreateFirstKey(onKey)
  if (secret) return <SecretOnce label="Your server key" secret={secret} />
  return (
    <div className="flex flex-col items-start gap-3">
      <p className="text-sm text-muted">
        Keys are shown once, when they are created. Create one here and it is filled into the calls below; or
        use one of{' '}
        <Link to="/a/$appId/keys" params={{ appId }} className={textLink}>
          your keys
        </Link>{' '}
        instead.
      </p>
      <Button
        variant="primary"
        isBusy={create.isPending}
        disabledReason={reason}
        onClick={() =>
          create.mutate({ params: { app_id: appId }, body: { kind: 'server', name: 'Getting started' } })
        }
      >
        Create a server key
      </Button>
    </div>
  )
}
