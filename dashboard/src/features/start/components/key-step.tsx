import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { Button } from '#components/ui/button.tsx'
import { SecretOnce } from '#components/ui/copy.tsx'
import { Field } from '#components/ui/field.tsx'
import { Input } from '#components/ui/input.tsx'
import { textLink } from '#components/ui/text-link.tsx'
import { useMayChangeApp } from '#lib/app.ts'
import { useCreateFirstKey } from '../api/create-key.ts'

interface KeyStepProps {
  readonly appId: string
  readonly secret: string | null
  readonly onKey: (key: string | null) => void
}

const serverKey = /^otp_sk_\w+$/

export function KeyStep({ appId, secret, onKey }: KeyStepProps) {
  const { reason } = useMayChangeApp(appId)
  const [made, setMade] = useState<string | null>(null)
  const [pasted, setPasted] = useState('')
  const create = useCreateFirstKey((key) => {
    setMade(key)
    onKey(key)
  })
  if (made && made === secret) return <SecretOnce label="Your server key" secret={made} />
  return (
    <div className="flex flex-col items-start gap-3">
      <p className="text-sm text-muted">
        Keys are shown once, when they are created. Create one here and it is filled into the calls below; or
        paste one of{' '}
        <Link to="/a/$appId/keys" params={{ appId }} className={textLink}>
          your keys
        </Link>
        . It is kept only until you leave this page.
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
      <Field
        label="An existing server key"
        isOptional
        className="w-full max-w-md"
        problem={pasted && !secret ? 'A server key begins with otp_sk_.' : undefined}
      >
        {(control) => (
          <Input
            {...control}
            type="password"
            placeholder="otp_sk_…"
            onChange={({ target }) => {
              const text = target.value.trim()
              setPasted(text)
              onKey(serverKey.test(text) ? text : null)
            }}
          />
        )}
      </Field>
    </div>
  )
}
