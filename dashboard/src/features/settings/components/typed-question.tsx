import { DialogForm } from '#components/form/dialog-form.tsx'
import { TextField } from '#components/form/fields.tsx'
import { Dialog } from '#components/ui/dialog.tsx'
import { useForm } from '#lib/form/use-form.ts'

interface TypedQuestionProps {
  readonly isOpen: boolean
  readonly onOpenChange: (isOpen: boolean) => void
  readonly title: string
  readonly description: string
  /** What has to be typed, so that nobody does it by accident. */
  readonly name: string
  readonly action: string
  readonly onConfirm: () => Promise<unknown>
}

/** Asks to type the name of what is about to be deleted for good. */
export function TypedQuestion(props: TypedQuestionProps) {
  return (
    <Dialog
      isOpen={props.isOpen}
      onOpenChange={props.onOpenChange}
      title={props.title}
      description={props.description}
    >
      {props.isOpen && <TypedForm {...props} />}
    </Dialog>
  )
}

function TypedForm({ name, action, onConfirm, onOpenChange }: TypedQuestionProps) {
  const form = useForm({
    initial: { typed: '' },
    body: ({ typed }) => ({ typed: typed.trim() }),
    check: ({ typed }) =>
      typed === name ? [] : [{ path: 'typed', message: `Type ${name}, exactly as it is written here` }],
    submit: onConfirm,
  })
  return (
    <DialogForm form={form} submit={action} tone="danger-solid" onCancel={() => onOpenChange(false)}>
      <TextField form={form} name="typed" label={`Type “${name}” to continue`} autoComplete="off" />
    </DialogForm>
  )
}
