import { Button } from '#components/ui/button.tsx'
import { Card } from '#components/ui/card.tsx'
import { Field } from '#components/ui/field.tsx'
import { Input } from '#components/ui/input.tsx'
import { FormProblem } from '#components/ui/problem.tsx'
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
    <Card title="Name">
      <form onSubmit={form.onSubmit} noValidate className="flex max-w-md flex-col gap-3">
        <Field
          label="Your name"
          hint="Your team sees it. Empty: your email address is shown instead."
          problem={form.problem('name')}
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
        <FormProblem error={form.error} fields={['name']} />
        <Button
          type="submit"
          variant="primary"
          isBusy={form.isSending}
          disabled={!form.isChanged}
          className="self-start"
        >
          Save
        </Button>
      </form>
    </Card>
  )
}
