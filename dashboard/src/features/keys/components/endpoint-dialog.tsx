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

/** Empty: one is made, or the one there is stays. */
const isSecret = (text: string) => text === '' || /^[!-~]{24,128}$/.test(text)
const isAddress = (text: string) => URL.canParse(text) && /^https?:/.test(text)

export function EndpointDialog({ appId, url, onSecret, onClose }: EndpointDialogProps) {
  const put = useChange('putWebhook', {
    says: url === null ? 'The endpoint is set' : 'The address is changed',
    refreshes: ['getWebhook', 'listEvents'],
    problems: 'form',
  })
  const form = useForm({
    initial: { url: url ?? '', signing_secret: '' },
    check: (values) => ({
      signing_secret: isSecret(values.signing_secret)
        ? undefined
        : 'Enter 24 to 128 characters without blanks',
      url: isAddress(values.url.trim()) ? undefined : 'Enter an address that starts with https://',
    }),
    submit: async (values) => {
      const own = values.signing_secret === '' ? {} : { signing_secret: values.signing_secret }
      const body = { url: values.url.trim(), ...own }
      const { signing_secret } = await put.mutateAsync({ params: { app_id: appId }, body })
      onClose()
      onSecret(values.signing_secret === '' ? signing_secret : null)
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
          : 'What waits goes to the new address. A pause stays.'
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
        <Field
          label="Signing secret of your own (optional)"
          hint={
            url === null
              ? 'Leave it empty, and one is made.'
              : 'Leave it empty to keep the secret. Another one replaces it; the old one signs beside it for a day.'
          }
          problem={form.problem('signing_secret')}
        >
          {(control) => (
            <Input
              {...control}
              type="password"
              autoComplete="off"
              value={form.values.signing_secret}
              onChange={(event) => form.set('signing_secret', event.target.value)}
            />
          )}
        </Field>
        <FormProblem error={form.error} fields={['url', 'signing_secret']} />
        <DialogActions submit="Save the address" isSending={form.isSending} onCancel={onClose} />
      </form>
    </Dialog>
  )
}
