import { SecretDialog } from '#components/ui/secret-dialog.tsx'

interface EndpointSecretProps {
  readonly secret: string
  readonly onClose: () => void
}

/** Shows the secret of an endpoint that was just created, or whose secret was just rotated. */
export const EndpointSecret = ({ secret, onClose }: EndpointSecretProps) => (
  <SecretDialog title="The signing secret" label="Signing secret" secret={secret} onClose={onClose}>
    <p className="text-sm text-muted">
      Your endpoint checks every request with it. After a rotation, events are also signed with the previous
      secret for 24 hours, so there is time to replace it.
    </p>
  </SecretDialog>
)
