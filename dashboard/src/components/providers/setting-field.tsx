import { Badge } from '#components/ui/badge.tsx'
import { Button } from '#components/ui/button.tsx'
import { Field, type FieldControl } from '#components/ui/field.tsx'
import { Input, NumberInput, Select, TextArea } from '#components/ui/input.tsx'
import type { Setting } from '#contract'
import { sayProblem } from '#lib/form/problems.ts'
import { useField } from '#lib/form/use-field.ts'
import type { Form } from '#lib/form/use-form.ts'
import type { ProviderValues } from './values.ts'

interface SettingFieldProps {
  readonly form: Form<ProviderValues>
  readonly setting: Setting
  /** For a credential: whether one is stored. */
  readonly isSet: boolean
  /** For a credential: it must be entered again, because where it is sent is about to change. */
  readonly isToRepeat: boolean
}

const repeatHint = 'You are changing where it goes, so please enter it again.'

export function SettingField({ form, setting, isSet, isToRepeat }: SettingFieldProps) {
  const { value, set, problem } = useField(form, `settings.${setting.name}`)
  return (
    <Field
      label={setting.label}
      hint={isToRepeat ? repeatHint : setting.hint}
      problem={problem && sayProblem(setting.label, problem)}
      isOptional={!setting.isRequired}
      className={isLong(setting) ? 'sm:col-span-2' : ''}
    >
      {(control) =>
        setting.isCredential ? (
          <Credential {...{ setting, value, onChange: set, isSet, isToRepeat, control }} />
        ) : (
          <Plain {...{ setting, value: value ?? '', onChange: set, control }} />
        )
      }
    </Field>
  )
}

const isLong = ({ type }: Setting) =>
  type === 'long' || type === 'list' || type === 'pairs' || type === 'table'

interface PlainProps {
  readonly setting: Setting
  readonly value: string
  readonly onChange: (value: string) => void
  readonly control: FieldControl
}

function Plain({ setting, value, onChange, control }: PlainProps) {
  const { type, placeholder, whenOpen, options = [] } = setting
  if (type === 'number') {
    return (
      <NumberInput
        {...control}
        value={value === '' ? null : Number(value)}
        onValue={(number) => onChange(number === null ? '' : String(number))}
        placeholder={placeholder}
      />
    )
  }
  if (type === 'flag') {
    return (
      <Select
        {...control}
        value={value || (whenOpen ? '' : 'false')}
        onChange={(event) => onChange(event.target.value)}
      >
        {whenOpen && <option value="">{whenOpen}</option>}
        <option value="true">Yes</option>
        <option value="false">No</option>
      </Select>
    )
  }
  if (type === 'choice') {
    return (
      <Select {...control} value={value} onChange={(event) => onChange(event.target.value)}>
        <option value="">Default</option>
        {options.map((option) => (
          <option key={option} value={option}>
            {option}
          </option>
        ))}
      </Select>
    )
  }
  const props = {
    ...control,
    value,
    placeholder,
    onChange: (event: { readonly target: { readonly value: string } }) => onChange(event.target.value),
  }
  return isLong(setting) ? (
    <TextArea {...props} spellCheck={false} className="font-mono" />
  ) : (
    <Input {...props} />
  )
}

interface CredentialProps extends Omit<SettingFieldProps, 'form'> {
  readonly value: string | null
  readonly onChange: (value: string | null) => void
  readonly control: FieldControl
}

/** A stored credential is never shown. It can only be replaced, or removed if it is optional. */
function Credential({ setting, value, onChange, isSet, isToRepeat, control }: CredentialProps) {
  if (value === null) {
    return (
      <span className="flex h-8 items-center gap-2 text-sm">
        <span className="text-warn">Will be removed when you save</span>
        <Button {...control} size="sm" variant="ghost" onClick={() => onChange('')}>
          Keep it
        </Button>
      </span>
    )
  }
  const props = {
    ...control,
    value,
    autoComplete: 'off',
    placeholder: isToRepeat ? 'Enter it again' : isSet ? 'Saved. Type to replace it' : undefined,
    onChange: (event: { readonly target: { readonly value: string } }) => onChange(event.target.value),
  }
  return (
    <span className="flex items-center gap-2">
      {setting.type === 'long' ? (
        <TextArea {...props} spellCheck={false} className="font-mono" />
      ) : (
        <Input {...props} type="password" autoComplete="new-password" />
      )}
      {isSet && <Badge tone="accent">Set</Badge>}
      {isSet && !setting.isRequired && (
        <Button size="sm" variant="ghost" onClick={() => onChange(null)}>
          Remove
        </Button>
      )}
    </span>
  )
}
