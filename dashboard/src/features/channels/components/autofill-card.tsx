import { Field } from '#components/ui/field.tsx'
import { FormCard } from '#components/ui/form-card.tsx'
import { Input } from '#components/ui/input.tsx'
import { textRules } from '#contract'
import { useApp, useMayChangeApp } from '#lib/app.ts'
import { fitsRule } from '#lib/text-rule.ts'
import { useForm } from '#lib/use-form.ts'
import { useSettingsChange } from '#lib/use-settings-change.ts'

const names = { domain: 'autofill.web_domain', hash: 'autofill.android_hash' } as const

export function AutofillCard({ appId }: { readonly appId: string }) {
  const { autofill, code_length } = useApp(appId)
  const permission = useMayChangeApp(appId)
  const change = useSettingsChange(appId, {
    says: 'Autofill is changed.',
    problems: 'form',
    refreshes: ['lintMessage'],
  })
  const form = useForm({
    initial: { [names.domain]: autofill.web_domain ?? '', [names.hash]: autofill.android_hash ?? '' },
    check: (values) => ({
      [names.domain]:
        values[names.domain] === '' || fitsRule(values[names.domain], textRules.web_domain)
          ? undefined
          : 'Enter a domain in lower case such as example.com, without https://',
      [names.hash]:
        values[names.hash] === '' || fitsRule(values[names.hash], textRules.android_hash)
          ? undefined
          : 'Enter the 11 characters of your app’s hash',
    }),
    submit: (values) =>
      change({
        autofill: { web_domain: values[names.domain] || null, android_hash: values[names.hash] || null },
      }),
  })
  const code = '12345678'.slice(0, code_length)
  const parts = [
    form.values[names.domain] && `@${form.values[names.domain]} #${code}`,
    form.values[names.hash],
  ].filter(Boolean)
  return (
    <FormCard
      form={form}
      permission={permission}
      fields={Object.values(names)}
      title="Autofill"
      description="A last line in every SMS by which the phone offers the code by itself. It counts towards the length of the message."
    >
      <div className="grid items-start gap-4 md:grid-cols-2">
        <Field
          label="Web domain"
          isOptional
          hint="Browsers and iOS fill the code in on pages of this domain, and nowhere else."
          problem={form.problem(names.domain)}
        >
          {(control) => (
            <Input
              {...control}
              inputMode="url"
              placeholder="example.com"
              value={form.values[names.domain]}
              onChange={(event) => form.set(names.domain, event.target.value.trim())}
            />
          )}
        </Field>
        <Field
          label="Android app hash"
          isOptional
          hint="Android’s SMS Retriever hands the message to the app with this hash, without asking for a permission. It is made from the package name and the signing key."
          problem={form.problem(names.hash)}
        >
          {(control) => (
            <Input
              {...control}
              className="font-mono"
              placeholder="FA+9qCX9VSu"
              value={form.values[names.hash]}
              onChange={(event) => form.set(names.hash, event.target.value.trim())}
            />
          )}
        </Field>
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
