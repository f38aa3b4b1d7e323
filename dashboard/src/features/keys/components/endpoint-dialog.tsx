import { webhookBody } from '@countersign/contract/bodies'
import { DialogForm } from '#components/form/dialog-form.tsx'
import { TextField } from '#components/form/fields.tsx'
import { Dialog } from '#components/ui/dialog.tsx'
import { against } from '#lib/form/problems.ts'
import { useForm } from '#lib/form/use-form.ts'
import { usePutEndpoint } from '../api/endpoint.ts'

interface EndpointDialogProps {
  readonly appId: string
  /** Null where there is none yet. */
  readonly url: string | null
  readonly onSecret: (secret: string | null) => void
  readonly onClose: () => void
}

export function EndpointDialog({ appId, url, onSecret, onClose }: EndpointDialogProps) {
  const put = usePutEndpoint(url === null ? 'The endpoint is set' : 'The address is changed')
  const form = useForm({
    initial: { url: url ?? '', signing_secret: '' },
    // Without a secret of one's own one is made, or the one there is stays.
    body: (values) => ({
      url: values.url.trim(),
      ...(values.signing_secret === '' ? {} : { signing_secret: values.signing_secret }),
    }),
    check: against(webhookBody),
    submit: async (body) => {
      const { signing_secret } = await put.mutateAsync({ params: { app_id: appId }, body })
      onClose()
      onSecret('signing_secret' in body ? null : signing_secret)
    },
  })
  return (
    <Dialog
      isOpen
      onOpenChange={onClose}
      title={url === null ? 'Set an endpoint' : 'Change the address'}
      description={
        url === null
          ? 'From now on, events are posted to it. Each is signed with a secret that you see once.'
          : 'Waiting events go to the new address. A paused endpoint stays paused.'
      }
    >
      <DialogForm form={form} submit="Save the address" onCancel={onClose}>
        <TextField
          form={form}
          name="url"
          label="Address"
          hint="It must be public and use https. A service in trial mode also accepts http and your own machine."
          type="url"
          inputMode="url"
          placeholder="https://example.com/webhooks"
        />
        <TextField
          form={form}
          name="signing_secret"
          label="Your own signing secret"
          isOptional
          hint={
            url === null
              ? 'If you leave it empty, one is made for you.'
              : 'Leave it empty to keep the secret. A new one replaces it; events are signed with both for a day.'
          }
          type="password"
        />
      </DialogForm>
    </Dialog>
  )
}
