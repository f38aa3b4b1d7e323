import type { ProviderAnswer } from '@countersign/contract'
import { useLayoutEffect, useState } from 'react'
import { useFormState } from 'react-hook-form'
import type { Setting } from '#contract'
import { cx } from '#lib/classes.ts'
import type { Form } from '#lib/form/use-form.ts'
import { credentialsToRepeat } from './account-problems.ts'
import { SettingField } from './setting-field.tsx'
import { fieldsOf, type ProviderValues } from './values.ts'

interface SettingFieldsProps {
  readonly form: Form<ProviderValues>
  readonly account: ProviderAnswer | null
}

const grid = 'grid items-start gap-x-4 gap-y-3 sm:grid-cols-2'

/** The settings of the account's kind; those that hardly anybody needs are folded away. */
export function SettingFields({ form, account }: SettingFieldsProps) {
  const settings = fieldsOf(form.values)
  const { errors, submitCount } = useFormState({ control: form.control })
  const rare = settings.filter(({ isRare }) => isRare)
  const repeated = credentialsToRepeat(form.values, account)
  const isAboutRare = rare.some(({ name }) => errors.settings?.[name])
  const [isOpen, setOpen] = useState(false)
  // Opened by each try, and before the field gets the focus. While it is being corrected it stays open.
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs whenever something was tried
  useLayoutEffect(() => {
    if (isAboutRare) setOpen(true)
  }, [isAboutRare, submitCount])
  const draw = (setting: Setting) => (
    <SettingField
      key={`${form.values.kind} ${setting.name}`}
      form={form}
      setting={setting}
      isSet={account?.credentials_set.includes(setting.name) ?? false}
      isToRepeat={repeated.includes(setting.name)}
    />
  )
  return (
    <>
      <div className={grid}>{settings.filter(({ isRare }) => !isRare).map(draw)}</div>
      {rare.length > 0 && (
        <details open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
          <summary className="text-sm font-medium text-muted hover:text-ink">More settings</summary>
          <div className={cx(grid, 'mt-3')}>{rare.map(draw)}</div>
        </details>
      )}
    </>
  )
}
