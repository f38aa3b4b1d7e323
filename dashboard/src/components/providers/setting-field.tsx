import { Badge } from '#components/ui/badge.tsx'
import { Button } from '#components/ui/button.tsx'
import { Field, type FieldControl } from '#components/ui/field.tsx'
import { Input, NumberInput, Select, TextArea } from '#components/ui/input.tsx'
import type { Setting } from '#contract'

interface SettingFieldProps {
  readonly setting: Setting
  readonly value: string | null
  readonly onChange: (value: string | null) => void
  readonly problem: string | undefined
  /** Of a credential: there is one already. */
  readonly isSet: boolean
  /** Of a credential: where it goes is about to change. */
  readonly isToRepeat: boolean
}

const repeatHint = 'You change where it goes, so it is to be given again.'

export const SettingField = ({ setting, value, onChange, problem, isSet, isToRepeat }: SettingFieldProps) => (
  <Field
    label={setting.label}
    hint={isToRepeat ? repeatHint : setting.hint}
    problem={problem}
    isOptional={!setting.isRequired}
    className={setting.type === 'long' || setting.type === 'languages' ? 'sm:col-span-2' : ''}
  >
    {(control) =>
      setting.isCredential ? (
        <Credential {...{ setting, value, onChange, isSet, isToRepeat, control }} />
      ) : (
        <Plain {...{ setting, value: value ?? '', onChange, control }} />
      )
    }
  </Field>
)

interface PlainProps {
  readonly setting: Setting
  readonly value: string
  readonly onChange: (value: string) => void
  readonly control: FieldControl
}

function Plain({ setting: { type, placeholder, whenOpen }, value, onChange, control }: PlainProps) {
  if (type === 'number') {
    return <NumberInput {...control} value={value} onValue={onChange} placeholder={placeholder} />
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
  const props = {
    ...control,
    value,
    placeholder,
    onChange: (event: { readonly target: { readonly value: string } }) => onChange(event.target.value),
  }
  return type === 'text' ? (
    <Input {...props} />
  ) : (
    <TextArea {...props} spellCheck={false} className="font-mono" />
  )
}

interface CredentialProps extends Omit<SettingFieldProps, 'problem'> {
  readonly control: FieldControl
}

/** Never shown again once it is set: it can only be replaced, or taken away where it need not be there. */
function Credential({ setting, value, onChange, isSet, isToRepeat, control }: CredentialProps) {
  if (value === null) {
    return (
      <span className="flex h-8 items-center gap-2 text-sm">
        <span className="text-warn">Taken away when you save</span>
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
    placeholder: isToRepeat ? 'Give it again' : isSet ? 'Set. Type to replace it' : undefined,
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
          Take away
        </Button>
      )}
    </span>
  )
}
