import { useQuery } from '@tanstack/react-query'
import ChevronsUpDown from 'lucide-react/icons/chevrons-up-down'
import { useDeferredValue, useState } from 'react'
import { Button } from '#components/ui/button.tsx'
import { Field } from '#components/ui/field.tsx'
import { Picker } from '#components/ui/picker.tsx'
import { queryOf } from '#lib/queries.ts'
import { useCompanyName } from './use-company-name.ts'

const operator = 'operator'
const atMost = 20

interface OwnerFieldProps {
  readonly companyId: string | null
  readonly onChange: (companyId: string | null) => void
}

/** Whose account it will be. The operator's own accounts carry messages for all companies. */
export function OwnerField({ companyId, onChange }: OwnerFieldProps) {
  const [text, setText] = useState('')
  const search = useDeferredValue(text)
  const { data } = useQuery(queryOf('listCompanies', { query: { limit: atMost, search } }))
  const name = useCompanyName(companyId)
  const companies = (data?.companies ?? []).map((company) => ({
    value: company.company_id,
    label: company.name,
  }))
  return (
    <Field
      label="Owner"
      hint="The operator’s accounts carry the messages of all companies. A company’s own accounts are used first."
    >
      {(control) => (
        <Picker
          label="Owner"
          options={[...(text ? [] : [{ value: operator, label: 'The operator' }]), ...companies]}
          onSearch={setText}
          onPick={(picked) => onChange(picked === operator ? null : picked)}
          trigger={
            <Button {...control} className="justify-between">
              {companyId === null ? 'The operator' : name}
              <ChevronsUpDown aria-hidden="true" />
            </Button>
          }
        />
      )}
    </Field>
  )
}
