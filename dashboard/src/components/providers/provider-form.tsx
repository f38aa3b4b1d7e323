import type { ProviderAnswer } from '@countersign/contract'
import { DialogForm } from '#components/form/dialog-form.tsx'
import { Button } from '#components/ui/button.tsx'
import { useForm } from '#lib/form/use-form.ts'
import { useChange } from '#lib/use-change.ts'
import { accountName } from './account-names.ts'
import { problemsOf, rewordAccount } from './account-problems.ts'
import { KindField, OrderFields } from './order-fields.tsx'
import { OwnerField } from './owner-field.tsx'
import { SettingFields } from './setting-fields.tsx'
import { accountChange, emptyValues, newAccount, type ProviderValues, valuesOf } from './values.ts'

interface ProviderFormProps {
  /** Null for a new one. */
  readonly account: ProviderAnswer | null
  /** The owner of a new account. */
  readonly companyId: string | null
  readonly mayChooseOwner: boolean
  readonly disabledReason: string | undefined
  readonly onDone: (account: ProviderAnswer) => Promise<void>
  readonly onCancel: () => void
}

export function ProviderForm(props: ProviderFormProps) {
  const { account, companyId, mayChooseOwner, disabledReason, onDone, onCancel } = props
  const save = useSave(account)
  const form = useForm<ProviderValues, ProviderValues>({
    initial: account ? valuesOf(account) : emptyValues('smpp', companyId),
    // The values are passed on as they are: which of them are sent depends on the stored account.
    body: (values) => values,
    check: (values) => problemsOf(values, account),
    submit: async (values) => onDone(await save(values)),
    reword: (problem, { kind }) => rewordAccount(kind, problem),
  })
  const isFixed = disabledReason !== undefined
  const fields = (
    <fieldset disabled={isFixed} className="flex min-w-0 flex-col gap-4">
      {!account && <KindField form={form} />}
      {!account && mayChooseOwner && (
        <OwnerField companyId={form.values.company_id} onChange={(id) => form.set('company_id', id)} />
      )}
      <SettingFields form={form} account={account} />
      <OrderFields form={form} isFixed={isFixed} />
    </fieldset>
  )
  if (!isFixed) {
    return (
      <DialogForm form={form} submit={account ? 'Save' : 'Add the account'} onCancel={onCancel}>
        {fields}
      </DialogForm>
    )
  }
  return (
    <>
      {fields}
      <div className="-mx-5 -mb-4 flex flex-wrap items-center justify-between gap-2 border-t bg-page px-5 py-3">
        <p className="text-sm text-muted">{disabledReason}</p>
        <Button onClick={onCancel}>Close</Button>
      </div>
    </>
  )
}

function useSave(account: ProviderAnswer | null) {
  const options = {
    says: (saved: ProviderAnswer) => `${accountName(saved)} is saved and in use.`,
    refreshes: ['listProviders'],
    problems: 'form',
  } as const
  const create = useChange('createProvider', options)
  const update = useChange('updateProvider', options)
  return (values: ProviderValues): Promise<ProviderAnswer> =>
    account
      ? update.mutateAsync({
          params: { provider_id: account.provider_id },
          body: accountChange(values, account),
        })
      : create.mutateAsync({ body: newAccount(values) })
}
