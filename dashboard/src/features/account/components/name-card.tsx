import { Field } from '#components/ui/field.tsx'
import { FormCard } from '#components/ui/form-card.tsx'
import { Input } from '#components/ui/input.tsx'
import { useMe } from '#lib/session.ts'
import { useChange } from '#lib/use-change.ts'
import { useForm } from '#lib/use-form.ts'

export function NameCard() {
  const me = useMe()
  const update = useChange('updateMe', {
    says: 'Name saved',
    refreshes: ['getMe', 'listMembers'],
    problems: 'form',
  })
  const form = useForm({
    initial: { name: me.name ?? '' },
    submit: ({ name }) => update.mutateAsync({ body: { name: name.trim() || null } }),
  })
  return (
    <FormCard form={form} title="Name" permission={{ may: true, reason: undefined }} fields={['name']}>
      <Field
        label="Your name"
        hint="Your team sees it. Empty: your email address is shown instead."
        problem={form.problem('name')}
        className="max-w-md"
      >
        {(control) => (
          <Input
            {...control}
            autoComplete="name"
            maxLength={100}
            value={form.values.name}
            onChange={(event) => form.set('name', event.target.value)}
          />
        )}
      </Field>
    </FormCard>
  )
}
