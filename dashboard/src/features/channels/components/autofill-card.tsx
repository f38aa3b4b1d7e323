import { TextField } from '#components/form/fields.tsx'
import { FormCard } from '#components/form/form-card.tsx'
import { useApp, useMayChangeApp } from '#lib/app.ts'
import { useSettingsForm } from '#lib/form/use-settings-form.ts'
import { settingLabels } from '#lib/setting-labels.ts'

const trim = (text: string) => text.trim()

export function AutofillCard({ appId }: { readonly appId: string }) {
  const app = useApp(appId)
  const permission = useMayChangeApp(appId)
  const { web_domain = '', android_hash = '' } = app.autofill
  const form = useSettingsForm(app, {
    initial: { autofill: { web_domain, android_hash } },
    change: ({ autofill }) => ({
      autofill: { web_domain: autofill.web_domain || null, android_hash: autofill.android_hash || null },
    }),
    says: 'Autofill saved',
    refreshes: ['lintMessage'],
  })
  const typed = form.values.autofill
  const code = '12345678'.slice(0, app.code_length)
  const parts = [typed.web_domain && `@${typed.web_domain} #${code}`, typed.android_hash].filter(Boolean)
  return (
    <FormCard
      form={form}
      permission={permission}
      title={settingLabels.autofill}
      description="A last line in every SMS that lets the phone offer the code by itself. It counts towards the length of the message."
    >
      <div className="grid items-start gap-4 md:grid-cols-2">
        <TextField
          form={form}
          name="autofill.web_domain"
          label={settingLabels['autofill.web_domain']}
          isOptional
          hint="Browsers and iOS fill in the code on pages of this domain, and nowhere else."
          inputMode="url"
          placeholder="example.com"
          tidy={trim}
        />
        <TextField
          form={form}
          name="autofill.android_hash"
          label={settingLabels['autofill.android_hash']}
          isOptional
          hint="Android’s SMS Retriever hands the message to the app with this hash, without asking for permission. It is derived from the package name and the signing key."
          className="font-mono"
          placeholder="FA+9qCX9VSu"
          tidy={trim}
        />
      </div>
      <p className="text-sm text-muted">
        {parts.length === 0 ? (
          'No line is added.'
        ) : (
          <>
            The last line: <code className="font-mono text-xs break-all text-ink">{parts.join(' ')}</code>
          </>
        )}
      </p>
    </FormCard>
  )
}
