import type { AppAnswer } from '@countersign/contract'
import { NumberField } from '#components/form/fields.tsx'
import { FormCard } from '#components/form/form-card.tsx'
import { numberBounds } from '#contract'
import { useMayChangeApp } from '#lib/app.ts'
import { givenNumber } from '#lib/form/typed.ts'
import { useSettingsForm } from '#lib/form/use-settings-form.ts'
import { formatCount } from '#lib/format.ts'
import { settingLabels } from '#lib/setting-labels.ts'

const settings = [
  { name: 'code_length', unit: 'digits', hint: 'Six or more is recommended.' },
  { name: 'code_ttl_s', unit: 'seconds', hint: 'Starting with the first message.' },
  {
    name: 'max_verify_attempts',
    unit: 'tries',
    hint: 'After this many wrong codes the verification fails.',
  },
  {
    name: 'max_sends',
    unit: 'sends',
    hint: 'The first one plus all resends.',
  },
  {
    name: 'resend_cooldown_s',
    unit: 'seconds',
    hint: 'An earlier resend is refused.',
  },
  {
    name: 'token_ttl_s',
    unit: 'seconds',
    hint: 'Your backend has to exchange the token within this time.',
  },
] as const

type Name = (typeof settings)[number]['name']
type Values = Record<Name, number | null>

const valuesOf = (app: AppAnswer): Values => ({
  code_length: app.code_length,
  code_ttl_s: app.code_ttl_s,
  max_verify_attempts: app.max_verify_attempts,
  max_sends: app.max_sends,
  resend_cooldown_s: app.resend_cooldown_s,
  token_ttl_s: app.token_ttl_s,
})

/** Only what differs, so that the audit trail shows what was changed. */
const changesOf = (app: AppAnswer, values: Values) =>
  Object.fromEntries(
    settings
      .filter(({ name }) => app[name] !== values[name])
      .map(({ name }) => [name, givenNumber(values[name])]),
  )

const boundsOf = (name: Name) => {
  const { min, max, default: usual } = numberBounds[name]
  return `${formatCount(min)} to ${formatCount(max)}, usually ${formatCount(usual)}.`
}

export function CodesCard({ app }: { readonly app: AppAnswer }) {
  const form = useSettingsForm(app, {
    initial: valuesOf(app),
    change: (values) => changesOf(app, values),
    says: 'Code settings saved',
  })
  return (
    <FormCard
      form={form}
      title="Codes"
      description="How long codes are, how long they are valid, and how many tries people get."
      permission={useMayChangeApp(app.app_id)}
    >
      <div className="grid max-w-3xl gap-x-6 gap-y-4 sm:grid-cols-2 lg:grid-cols-3">
        {settings.map(({ hint, ...setting }) => (
          <NumberField
            key={setting.name}
            {...setting}
            label={settingLabels[setting.name]}
            form={form}
            hint={`${hint} ${boundsOf(setting.name)}`}
          />
        ))}
      </div>
    </FormCard>
  )
}
