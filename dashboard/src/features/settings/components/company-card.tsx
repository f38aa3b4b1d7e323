import type { CompanyAnswer } from '@countersign/contract'
import { Field } from '#components/ui/field.tsx'
import { FormCard } from '#components/ui/form-card.tsx'
import { Input } from '#components/ui/input.tsx'
import { Switch } from '#components/ui/switch.tsx'
import { usePermission } from '#lib/session.ts'
import { useChange } from '#lib/use-change.ts'
import { useForm } from '#lib/use-form.ts'

export function CompanyCard({ company }: { readonly company: CompanyAnswer }) {
  const owner = usePermission(company.company_id, 'owner')
  const operator = usePermission(company.company_id, 'operator')
  const update = useChange('updateCompany', {
    says: 'Company saved',
    refreshes: ['getCompany', 'listCompanies', 'getMe'],
    problems: 'form',
  })
  const form = useForm({
    initial: { name: company.name, metered: company.metered },
    check: ({ name }) => ({ name: name.trim() ? undefined : 'Enter a name' }),
    submit: ({ name, metered }) =>
      update.mutateAsync({
        params: { company_id: company.company_id },
        body: {
          ...(name.trim() === company.name ? {} : { name: name.trim() }),
          ...(metered === company.metered ? {} : { metered }),
        },
      }),
  })
  return (
    <FormCard form={form} title="Company" permission={owner} fields={['name', 'metered']}>
      <Field label="Name" problem={form.problem('name')} className="max-w-md">
        {(control) => (
          <Input
            {...control}
            maxLength={100}
            value={form.values.name}
            onChange={(event) => form.set('name', event.target.value)}
          />
        )}
      </Field>
      <Switch
        label="Metered"
        hint="Messages are paid from the balance. The operator decides this."
        isOn={form.values.metered}
        disabledReason={operator.reason}
        onChange={(metered) => form.set('metered', metered)}
      />
    </FormCard>
  )
}
