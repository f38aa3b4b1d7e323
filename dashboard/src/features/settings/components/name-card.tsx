import type { AppAnswer } from '@countersign/contract'
import { useQuery } from '@tanstack/react-query'
import { Field } from '#components/ui/field.tsx'
import { FormCard } from '#components/ui/form-card.tsx'
import { Input, Select } from '#components/ui/input.tsx'
import { useMayChangeApp } from '#lib/app.ts'
import { languageName } from '#lib/format.ts'
import { queryOf } from '#lib/queries.ts'
import { useForm } from '#lib/use-form.ts'
import { useSettingsChange } from '#lib/use-settings-change.ts'

export function NameCard({ app }: { readonly app: AppAnswer }) {
  const save = useSettingsChange(app.app_id, {
    says: 'Name and language saved',
    refreshes: ['listApps'],
    problems: 'form',
  })
  const locales = useLocaleChoices(app)
  const form = useForm({
    initial: { name: app.name, default_locale: app.default_locale },
    check: ({ name }) => ({ name: name.trim() ? undefined : 'Enter a name' }),
    submit: ({ name, default_locale }) =>
      save({
        ...(name.trim() === app.name ? {} : { name: name.trim() }),
        ...(default_locale === app.default_locale ? {} : { default_locale }),
      }),
  })
  return (
    <FormCard
      form={form}
      title="Name and language"
      permission={useMayChangeApp(app.app_id)}
      fields={['name', 'default_locale']}
    >
      <div className="grid max-w-2xl gap-4 sm:grid-cols-2">
        <Field label="Name" hint="People read it in the messages." problem={form.problem('name')}>
          {(control) => (
            <Input
              {...control}
              maxLength={60}
              value={form.values.name}
              onChange={(event) => form.set('name', event.target.value)}
            />
          )}
        </Field>
        <Field
          label="Default language"
          hint="For sends that name none, or one that there is no text for."
          problem={form.problem('default_locale')}
        >
          {(control) => (
            <Select
              {...control}
              value={form.values.default_locale}
              onChange={(event) => form.set('default_locale', event.target.value)}
            >
              {locales.map((tag) => (
                <option key={tag} value={tag}>
                  {languageName(tag)} ({tag})
                </option>
              ))}
            </Select>
          )}
        </Field>
      </div>
    </FormCard>
  )
}

/** Shipped languages, those of the app's own texts, and the one that is set. */
function useLocaleChoices({ default_locale, messages }: AppAnswer): readonly string[] {
  const { data } = useQuery({ ...queryOf('listLocales', {}), staleTime: Number.POSITIVE_INFINITY })
  const own = [messages.sms, messages.whatsapp, messages.email].flatMap((texts) => Object.keys(texts))
  return [...new Set([...(data?.locales ?? []), ...own, default_locale])].sort((one, other) =>
    languageName(one).localeCompare(languageName(other)),
  )
}
