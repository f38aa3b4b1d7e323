import { useQuery } from '@tanstack/react-query'
import { FormCard } from '#components/ui/form-card.tsx'
import { Loaded } from '#components/ui/problem.tsx'
import { Skeleton } from '#components/ui/skeleton.tsx'
import { Switch } from '#components/ui/switch.tsx'
import { queryOf } from '#lib/queries.ts'
import { usePermission } from '#lib/session.ts'
import { useChange } from '#lib/use-change.ts'
import { useForm } from '#lib/use-form.ts'

export function SignInCard({ companyId }: { readonly companyId: string }) {
  const query = useQuery(queryOf('getSignInRules', { params: { company_id: companyId } }))
  return (
    <Loaded query={query} loading={<Skeleton className="h-32 w-full" />}>
      {({ passkey_required }) => <RulesForm companyId={companyId} isRequired={passkey_required} />}
    </Loaded>
  )
}

interface RulesFormProps {
  readonly companyId: string
  readonly isRequired: boolean
}

function RulesForm({ companyId, isRequired }: RulesFormProps) {
  const owner = usePermission(companyId, 'owner')
  const change = useChange('putSignInRules', {
    says: ({ passkey_required }) =>
      passkey_required
        ? 'Members are asked for a passkey now'
        : 'Members are not asked for a passkey any more',
    refreshes: ['getSignInRules', 'getMe'],
    problems: 'form',
  })
  const form = useForm({
    initial: { passkey_required: isRequired },
    submit: (body) => change.mutateAsync({ params: { company_id: companyId }, body }),
  })
  return (
    <FormCard form={form} title="Signing in" permission={owner} fields={['passkey_required']}>
      <Switch
        label="Ask every member for a passkey"
        hint="Whoever has none is asked to make one before they see the company. You need one yourself first."
        isOn={form.values.passkey_required}
        disabledReason={owner.reason}
        onChange={(isOn) => form.set('passkey_required', isOn)}
      />
    </FormCard>
  )
}
