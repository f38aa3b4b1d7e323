import { updateMeBody } from '@countersign/contract/bodies'
import { TextField } from '#components/form/fields.tsx'
import { FormCard } from '#components/form/form-card.tsx'
import { against } from '#lib/form/problems.ts'
import { useForm } from '#lib/form/use-form.ts'
import { useMe } from '#lib/session.ts'
import { useUpdateMe } from '../api/me.ts'

export function NameCard() {
  const me = useMe()
  const update = useUpdateMe()
  const form = useForm({
    initial: { name: me.name ?? '' },
    isStored: true,
    body: ({ name }) => ({ name: name.trim() || null }),
    check: against(updateMeBody),
    submit: (body) => update.mutateAsync({ body }),
  })
  return (
    <FormCard form={form} title="Name" permission={{ may: true, reason: undefined }}>
      <TextField
        form={form}
        name="name"
        label="Your name"
        hint="Your team sees it. If it is empty, they see your email address."
        fieldClassName="max-w-md"
        autoComplete="name"
      />
    </FormCard>
  )
}
