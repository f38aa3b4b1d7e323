import type { RuleAction } from '@countersign/contract'
import { ruleDraft } from '@countersign/contract/bodies'
import Plus from 'lucide-react/icons/plus'
import { DialogForm } from '#components/form/dialog-form.tsx'
import { NumberField, SelectField, TextField } from '#components/form/fields.tsx'
import { Button } from '#components/ui/button.tsx'
import { Dialog } from '#components/ui/dialog.tsx'
import { FieldGroup } from '#components/ui/field.tsx'
import { Notice } from '#components/ui/notice.tsx'
import { Picker } from '#components/ui/picker.tsx'
import { ruleBounds } from '#contract'
import { useApp } from '#lib/app.ts'
import { against } from '#lib/form/problems.ts'
import { type Form, useForm } from '#lib/form/use-form.ts'
import { channelLabels } from '#lib/format.ts'
import { bodyOf, type RuleDraft, type RuleValues, valuesOf } from '../lib/rule-values.ts'
import { actionLabels, conditionLabels, conditionNames } from '../lib/rule-words.ts'
import { Condition } from './rule-condition.tsx'
import { SetField } from './rule-set-field.tsx'
import { WindowField } from './rule-window-field.tsx'

interface RuleDialogProps {
  readonly appId: string
  /** Null while the dialog is closed. */
  readonly draft: RuleDraft | null
  readonly onApply: (draft: RuleDraft) => void
  readonly onClose: () => void
}

export const RuleDialog = ({ appId, draft, onApply, onClose }: RuleDialogProps) => (
  <Dialog
    isOpen={draft !== null}
    onOpenChange={(isOpen) => !isOpen && onClose()}
    title={draft?.name ? `Rule: ${draft.name}` : 'New rule'}
    description="Applies to every send and resend that meets all of its conditions."
    className="sm:max-w-2xl"
  >
    {draft && <RuleForm {...{ appId, draft, onApply, onClose }} />}
  </Dialog>
)

const parsed = (body: unknown): RuleDraft => ruleDraft.parse(body)

function RuleForm({ appId, draft, onApply, onClose }: RuleDialogProps & { readonly draft: RuleDraft }) {
  const form = useForm<RuleValues, unknown>({
    initial: valuesOf(draft),
    body: (values) => bodyOf(values, draft),
    check: against(ruleDraft),
    submit: async (body) => {
      onApply(parsed(body))
      onClose()
    },
  })
  return (
    <DialogForm form={form} submit="Apply" onCancel={onClose}>
      <TextField
        form={form}
        name="name"
        label="Name"
        hint="Callers see this name when their send is refused."
        maxLength={ruleBounds.name}
      />
      <Conditions form={form} />
      <Action form={form} appId={appId} />
    </DialogForm>
  )
}

function Conditions({ form }: { readonly form: Form<RuleValues> }) {
  const { asked } = form.values
  const others = conditionNames.filter((name) => !asked.includes(name))
  const ask = (text: string) => {
    const name = others.find((each) => each === text)
    if (name) form.set('asked', [...asked, name])
  }
  return (
    <FieldGroup
      label="When"
      hint={asked.length === 0 ? 'No condition: the rule applies to every send.' : 'All of these must apply.'}
    >
      {asked.length > 0 && (
        <ul className="flex flex-col gap-2">
          {asked.map((name) => (
            <Condition
              key={name}
              form={form}
              name={name}
              onRemove={() =>
                form.set(
                  'asked',
                  asked.filter((each) => each !== name),
                )
              }
            />
          ))}
        </ul>
      )}
      <div>
        <Picker
          label="Conditions"
          options={others.map((name) => ({ value: name, label: conditionLabels[name] }))}
          onPick={ask}
          trigger={
            <Button size="sm">
              <Plus aria-hidden="true" />
              Add a condition
            </Button>
          }
        />
      </div>
    </FieldGroup>
  )
}

const hints: Readonly<Record<RuleAction['action'], string>> = {
  refuse: 'The caller gets 403 with the name of the rule.',
  hold: 'The caller is told how long to wait. The wait begins with the first try; after it, the recipient passes for a day.',
  channels: 'In the order of the app. If none of them can be used, the send is refused.',
  link: 'Nothing is sent until the person writes to you. If there is no link, the send is refused.',
  limit: 'Over all sends that the rule matches, to all recipients together.',
  pass: 'The rules below, the IP lists and the guard against pumping do not stop it. Limits, caps and the balance still do.',
}

function Action({ form, appId }: { readonly form: Form<RuleValues>; readonly appId: string }) {
  const { action, window_s } = form.values.then
  const { mode } = useApp(appId).channels.whatsapp
  return (
    <>
      <SelectField form={form} name="then.action" label="Then" hint={hints[action]}>
        {Object.entries(actionLabels).map(([value, label]) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </SelectField>
      {action === 'hold' && <NumberField form={form} name="then.minutes" label="For" unit="minutes" />}
      {action === 'channels' && (
        <SetField form={form} name="then.channels" label="Only these" options={channelLabels} />
      )}
      {action === 'link' && mode === 'template' && (
        <Notice tone="warn" title="WhatsApp in this app has no links">
          <p>While it sends templates, every send that this rule matches would be refused.</p>
        </Notice>
      )}
      {action === 'limit' && (
        <div className="flex flex-wrap gap-x-4 gap-y-2">
          <NumberField form={form} name="then.max" label="At most" unit="sends" />
          <WindowField form={form} name="then.window_s" value={window_s} label="In" />
        </div>
      )}
    </>
  )
}
