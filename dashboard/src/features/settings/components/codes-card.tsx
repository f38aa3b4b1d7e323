import type { AppAnswer } from '@countersign/contract'
import { Field } from '#components/ui/field.tsx'
import { FormCard } from '#components/ui/form-card.tsx'
import { NumberInput } from '#components/ui/input.tsx'
import { numberBounds } from '#contract'
import { useMayChangeApp } from '#lib/app.ts'
import { formatCount } from '#lib/format.ts'
import { type Form, useForm } from '#lib/use-form.ts'
import { useSettingsChange } from '#lib/use-settings-change.ts'

const settings = [
  { name: 'code_length', label: 'Digits of a code', unit: 'digits', hint: 'Six or more are recommended.' },
  { name: 'code_ttl_s', label: 'Lifetime of a code', unit: 'seconds', hint: 'From its first message on.' },
  {
    name: 'max_verify_attempts',
    label: 'Wrong codes',
    unit: 'attempts',
    hint: 'Then the verification has failed.',
  },
  {
    name: 'max_sends',
    label: 'Sends of one verification',
    unit: 'sends',
    hint: 'The first one and all resends.',
  },
  {
    name: 'resend_cooldown_s',
    label: 'Wait between sends',
    unit: 'seconds',
    hint: 'A resend before that is refused.',
  },
  {
    name: 'token_ttl_s',
    label: 'Lifetime of a device’s token',
    unit: 'seconds',
    hint: 'Within it your backend exchanges the token.',
  },
] as const

type Name = (typeof settings)[number]['name']
type Values = Record<Name, string>

const names = settings.map(({ name }) => name)
const textsOf = (app: AppAnswer): Values => ({
  code_length: String(app.code_length),
  code_ttl_s: String(app.code_ttl_s),
  max_verify_attempts: String(app.max_verify_attempts),
  max_sends: String(app.max_sends),
  resend_cooldown_s: String(app.resend_cooldown_s),
  token_ttl_s: String(app.token_ttl_s),
})

function problemsOf(values: Values): Partial<Values> {
  const problems: Partial<Values> = {}
  for (const name of names) {
    const { min, max } = numberBounds[name]
    const value = Number(values[name])
    if (values[name] === '' || value < min || value > max) {
      problems[name] = `Enter a number from ${formatCount(min)} to ${formatCount(max)}`
    }
  }
  return problems
}

/** Only what differs: the audit trail then shows what was changed. */
const changesOf = (app: AppAnswer, values: Values) =>
  Object.fromEntries(
    names.map((name) => [name, Number(values[name])] as const).filter(([name, value]) => app[name] !== value),
  )

export function CodesCard({ app }: { readonly app: AppAnswer }) {
  const save = useSettingsChange(app.app_id, { says: 'Codes saved', problems: 'form' })
  const form = useForm<Values>({
    initial: textsOf(app),
    check: problemsOf,
    submit: (values) => save(changesOf(app, values)),
  })
  return (
    <FormCard
      form={form}
      title="Codes"
      description="How long codes are, how long they live, and how often one may try."
      permission={useMayChangeApp(app.app_id)}
      fields={names}
    >
      <div className="grid max-w-3xl gap-x-6 gap-y-4 sm:grid-cols-2 lg:grid-cols-3">
        {settings.map((setting) => (
          <NumberSetting key={setting.name} {...setting} form={form} />
        ))}
      </div>
    </FormCard>
  )
}

interface NumberSettingProps {
  readonly name: Name
  readonly label: string
  readonly unit: string
  readonly hint: string
  readonly form: Form<Values>
}

function NumberSetting({ name, label, unit, hint, form }: NumberSettingProps) {
  const { min, max, default: usual } = numberBounds[name]
  return (
    <Field
      label={label}
      hint={`${hint} ${formatCount(min)} to ${formatCount(max)}, usually ${formatCount(usual)}.`}
      problem={form.problem(name)}
    >
      {(control) => (
        <NumberInput
          {...control}
          unit={unit}
          value={form.values[name]}
          onValue={(value) => form.set(name, value)}
        />
      )}
    </Field>
  )
}
