import type { CompanyAnswer } from '@countersign/contract'
import { updateCompanyBody } from '@countersign/contract/bodies'
import { SwitchField, TextField } from '#components/form/fields.tsx'
import { FormCard } from '#components/form/form-card.tsx'
import { against } from '#lib/form/problems.ts'
import { useForm } from '#lib/form/use-form.ts'
import { usePermission } from '#lib/session.ts'
import { settingLabels } from '#lib/setting-labels.ts'
import { useUpdateCompany } from '../api/company.ts'

export function CompanyCard({ company }: { readonly company: CompanyAnswer }) {
  const owner = usePermission(company.company_id, 'owner')
  const operator = usePermission(company.company_id, 'operator')
  const update = useUpdateCompany()
  const form = useForm({
    initial: { name: company.name, metered: company.metered },
    isStored: true,
    body: ({ name, metered }) => ({
      ...(name === company.name ? {} : { name }),
      ...(metered === company.metered ? {} : { metered }),
    }),
    check: against(updateCompanyBody),
    submit: (body) => update.mutateAsync({ params: { company_id: company.company_id }, body }),
  })
  return (
    <FormCard form={form} title="Company" permission={owner}>
      <TextField form={form} name="name" label={settingLabels.name} fieldClassName="max-w-md" />
      <SwitchField
        form={form}
        name="metered"
        label={settingLabels.metered}
        hint="Messages are paid for from the balance. Only the operator can change this."
        disabledReason={operator.reason}
      />
    </FormCard>
  )
}
