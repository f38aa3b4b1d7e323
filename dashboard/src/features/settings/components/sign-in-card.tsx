import { signInRulesBody } from '@countersign/contract/bodies'
import { SwitchField } from '#components/form/fields.tsx'
import { FormCard } from '#components/form/form-card.tsx'
import { Loaded } from '#components/ui/problem.tsx'
import { Skeleton } from '#components/ui/skeleton.tsx'
import { against } from '#lib/form/problems.ts'
import { useForm } from '#lib/form/use-form.ts'
import { usePermission } from '#lib/session.ts'
import { settingLabels } from '#lib/setting-labels.ts'
import { usePutSignInRules, useSignInRules } from '../api/company.ts'

export function SignInCard({ companyId }: { readonly companyId: string }) {
  const query = useSignInRules(companyId)
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
  const change = usePutSignInRules()
  const form = useForm({
    initial: { passkey_required: isRequired },
    isStored: true,
    body: (values) => values,
    check: against(signInRulesBody),
    submit: (body) => change.mutateAsync({ params: { company_id: companyId }, body }),
  })
  return (
    <FormCard form={form} title="Signing in" permission={owner}>
      <SwitchField
        form={form}
        name="passkey_required"
        label={settingLabels.passkey_required}
        hint="Members without one have to create one before they can see the company. You need one yourself first."
        disabledReason={owner.reason}
      />
    </FormCard>
  )
}
