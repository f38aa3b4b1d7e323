import type { AppAnswer } from '@countersign/contract'
import { SelectField, TextField } from '#components/form/fields.tsx'
import { FormCard } from '#components/form/form-card.tsx'
import { useMayChangeApp } from '#lib/app.ts'
import { useSettingsForm } from '#lib/form/use-settings-form.ts'
import { languageName } from '#lib/format.ts'
import { useLocales } from '#lib/locales.ts'
import { settingLabels } from '#lib/setting-labels.ts'

export function NameCard({ app }: { readonly app: AppAnswer }) {
  const locales = useLocaleChoices(app)
  const form = useSettingsForm(app, {
    initial: { name: app.name, default_locale: app.default_locale },
    change: ({ name, default_locale }) => ({
      ...(name === app.name ? {} : { name }),
      ...(default_locale === app.default_locale ? {} : { default_locale }),
    }),
    says: 'Name and language saved',
    refreshes: ['listApps'],
  })
  return (
    <FormCard form={form} title="Name and language" permission={useMayChangeApp(app.app_id)}>
      <div className="grid max-w-2xl gap-4 sm:grid-cols-2">
        <TextField form={form} name="name" label={settingLabels.name} hint="People see it in the messages." />
        <SelectField
          form={form}
          name="default_locale"
          label={settingLabels.default_locale}
          hint="Used when a send names no language, or one without a text."
        >
          {locales.map((tag) => (
            <option key={tag} value={tag}>
              {languageName(tag)} ({tag})
            </option>
          ))}
        </SelectField>
      </div>
    </FormCard>
  )
}

/** The shipped languages, those of the app's own texts, and the current one. */
function useLocaleChoices({ default_locale, messages }: AppAnswer): readonly string[] {
  const { data } = useLocales()
  const own = [messages.sms, messages.whatsapp, messages.email].flatMap((texts) => Object.keys(texts))
  return [...new Set([...(data?.locales ?? []), ...own, default_locale])].sort((one, other) =>
    languageName(one).localeCompare(languageName(other)),
  )
}
