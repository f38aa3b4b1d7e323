import type { EndpointAnswer } from '@countersign/contract'
import { createWebhookBody } from '@countersign/contract/bodies'
import { DialogForm } from '#components/form/dialog-form.tsx'
import { TextField } from '#components/form/fields.tsx'
import { Dialog } from '#components/ui/dialog.tsx'
import { urlProblems } from '#lib/form/addresses.ts'
import { against } from '#lib/form/problems.ts'
import { useForm } from '#lib/form/use-form.ts'
import { useCreateEndpoint, useUpdateEndpoint } from './changes.ts'
import { EventTypesField } from './event-types-field.tsx'
import { paramsOf } from './params.ts'

interface EndpointDialogProps {
  readonly appId: string
  /** Null for a new one. */
  readonly endpoint: EndpointAnswer | null
  readonly onSecret: (secret: string | null) => void
  readonly onClose: () => void
}

const hints = {
  url: 'A public https address. In the sandbox, http and localhost work too.',
  newSecret: 'If you leave it empty, one is made for you.',
  secret: 'Leave it empty to keep the secret. A new one replaces it; events are signed with both for a day.',
}

export function EndpointDialog({ appId, endpoint, onSecret, onClose }: EndpointDialogProps) {
  const create = useCreateEndpoint()
  const update = useUpdateEndpoint()
  const form = useForm({
    initial: { url: endpoint?.url ?? '', types: endpoint?.types ?? null, signing_secret: '' },
    isStored: true,
    // If no secret is entered, a new endpoint gets a generated one, and an existing endpoint keeps its own.
    body: ({ url, types, signing_secret }) => ({
      url: url.trim(),
      types,
      ...(signing_secret === '' ? {} : { signing_secret }),
    }),
    check: (body) => [...against(createWebhookBody)(body), ...urlProblems('url', body.url)],
    submit: async (body) => {
      const { signing_secret } = await (endpoint
        ? update.mutateAsync({ params: paramsOf(appId, endpoint), body })
        : create.mutateAsync({ params: { app_id: appId }, body }))
      onClose()
      onSecret('signing_secret' in body ? null : signing_secret)
    },
  })
  return (
    <Dialog
      isOpen
      onOpenChange={onClose}
      title={endpoint ? 'Change the endpoint' : 'Add an endpoint'}
      description={
        endpoint
          ? 'Waiting events go to the new address. A paused endpoint stays paused.'
          : 'From now on, events are posted to it. Each is signed with a secret that you see once.'
      }
    >
      <DialogForm form={form} submit={endpoint ? 'Save the endpoint' : 'Add the endpoint'} onCancel={onClose}>
        <TextField
          form={form}
          name="url"
          label="Address"
          hint={hints.url}
          type="url"
          inputMode="url"
          placeholder="https://example.com/webhooks"
        />
        <EventTypesField form={form} name="types" />
        <TextField
          form={form}
          name="signing_secret"
          label="Your own signing secret"
          isOptional
          hint={endpoint ? hints.secret : hints.newSecret}
          type="password"
        />
      </DialogForm>
    </Dialog>
  )
}
