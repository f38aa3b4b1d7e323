import type { ProviderAnswer } from '@countersign/contract'
import { Button } from '#components/ui/button.tsx'
import { DialogActions } from '#components/ui/dialog.tsx'
import { FormProblem } from '#components/ui/problem.tsx'
import { useChange } from '#lib/use-change.ts'
import { useForm } from '#lib/use-form.ts'
import { KindField, OrderFields } from './order-fields.tsx'
import { OwnerField } from './owner-field.tsx'
import { SettingFields } from './setting-fields.tsx'
import { accountChange, accountName, emptyValues, newAccount, valueProblems, valuesOf } from './values.ts'

interface ProviderFormProps {
  /** Null for a new one. */
  readonly account: ProviderAnswer | null
  /** Of a new account. */
  readonly companyId: string | null
  readonly mayChooseOwner: boolean
  readonly disabledReason: string | undefined
  readonly onDone: (account: ProviderAnswer) => void
  readonly onCancel: () => void
}

export function ProviderForm(props: ProviderFormProps) {
  const { account, companyId, mayChooseOwner, disabledReason, onDone, onCancel } = props
  const save = useSave(account)
  const form = useForm({
    initial: account ? valuesOf(account) : emptyValues('smpp', companyId),
    check: (values) => valueProblems(values, account),
    submit: async (values) => onDone(await save(values)),
  })
  const isFixed = disabledReason !== undefined
  return (
    <form onSubmit={form.onSubmit} noValidate className="flex flex-col gap-4">
      <fieldset disabled={isFixed} className="flex min-w-0 flex-col gap-4">
        {!account && <KindField form={form} />}
        {!account && mayChooseOwner && (
          <OwnerField companyId={form.values.company_id} onChange={(id) => form.set('company_id', id)} />
        )}
        <SettingFields form={form} account={account} />
        <OrderFields form={form} isFixed={isFixed} />
        <FormProblem error={form.error} fields={['settings', 'name', 'countries', 'priority']} />
      </fieldset>
      {isFixed ? (
        <div className="-mx-5 -mb-4 flex flex-wrap items-center justify-between gap-2 border-t bg-page px-5 py-3">
          <p className="text-sm text-muted">{disabledReason}</p>
          <Button onClick={onCancel}>Close</Button>
        </div>
      ) : (
        <DialogActions
          submit={account ? 'Save' : 'Add the account'}
          isSending={form.isSending}
          onCancel={onCancel}
        />
      )}
    </form>
  )
}

function useSave(account: ProviderAnswer | null) {
  const options = {
    says: (saved: ProviderAnswer) => `${accountName(saved)} is saved and in force.`,
    refreshes: ['listProviders'],
    problems: 'form',
  } as const
  const create = useChange('createProvider', options)
  const update = useChange('updateProvider', options)
  return (values: Parameters<typeof newAccount>[0]): Promise<ProviderAnswer> =>
    account
      ? update.mutateAsync({
          params: { provider_id: account.provider_id },
          body: accountChange(values, account),
        })
      : create.mutateAsync({ body: newAccount(values) })
}
