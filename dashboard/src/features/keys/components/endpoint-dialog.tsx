import { Dialog, DialogActions } from '#components/ui/dialog.tsx'
import { Field } from '#components/ui/field.tsx'
import { Input } from '#components/ui/input.tsx'
import { FormProblem } from '#components/ui/problem.tsx'
import { useChange } from '#lib/use-change.ts'
import { useForm } from '#lib/use-form.ts'

interface EndpointDialogProps {
  readonly appId: string
  /** Null where there is none yet. */
  readonly url: string | null
  readonly onSecret: (secret: string | null) => void
  readonly onClose: () => void
}

const isAddress = (text: string) => URL.canParse(text) && /^https?:/.test(text)

export function EndpointDialog({ appId, url, onSecret, onClose }: EndpointDialogProps) {
  const put = useChange('putWebhook', {
    says: url === null ? 'The endpoint is set' : 'The address is changed',
    refreshes: ['getWebhook', 'listEvents'],
    problems: 'form',
  })
  const form = useForm({
    initial: { url: url ?? '' },
    check: (values) => ({
      url: isAddress(values.url.trim()) ? undefined : 'Enter an address that starts with https://',
    }),
    submit: async (values) => {
      const body = { url: values.url.trim() }
      const { signing_secret } = await put.mutateAsync({ params: { app_id: appId }, body })
      onClose()
      onSecret(signing_secret)
    },
  })
  return (
    <Dialog
      isOpen
      onOpenChange={onClose}
      title={url === null ? 'Set an endpoint' : 'Change the address'}
      description={
        url === null
          ? 'Events are posted to it from now on, each signed with a secret that you see once.'
          : 'What waits goes to the new address. The secret stays, and so does a pause.'
      }
    >
      <form onSubmit={form.onSubmit} noValidate className="flex flex-col gap-4">
        <Field
          label="Address"
          hint="https and public. A service in trial mode also takes http and your own machine."
          problem={form.problem('url')}
        >
          {(control) => (
            <Input
              {...control}
              type="url"
              inputMode="url"
              placeholder="https://example.com/webhooks"
              value={form.values.url}
              onChange={(event) => form.set('url', event.target.value)}
            />
          )}
        </Field>
        <FormProblem error={form.error} fields={['url']} />
        <DialogActions submit="Save the address" isSending={form.isSending} onCancel={onClose} />
      </form>
    </Dialog>
  )
}
