import { replayFailedBody } from '@countersign/contract/bodies'
import { DialogForm } from '#components/form/dialog-form.tsx'
import { TextField } from '#components/form/fields.tsx'
import { Dialog } from '#components/ui/dialog.tsx'
import { against } from '#lib/form/problems.ts'
import { useForm } from '#lib/form/use-form.ts'
import { useReplayFailed } from '../api/replay.ts'

interface ReplayFailedDialogProps {
  readonly appId: string
  readonly onClose: () => void
}

const dayMs = 86_400_000

/** As a field of the browser's own time has it. */
function localTime(ms: number): string {
  const offsetMs = new Date(ms).getTimezoneOffset() * 60_000
  return new Date(ms - offsetMs).toISOString().slice(0, 16)
}

/** What is no time stays as it is, for the contract to refuse. */
const asTime = (text: string) => {
  const time = new Date(text)
  return Number.isNaN(time.getTime()) ? text : time.toISOString()
}

export function ReplayFailedDialog({ appId, onClose }: ReplayFailedDialogProps) {
  const replay = useReplayFailed()
  const form = useForm({
    initial: { since: localTime(Date.now() - dayMs) },
    body: ({ since }) => ({ since: asTime(since) }),
    check: against(replayFailedBody),
    submit: async (body) => {
      await replay.mutateAsync({ params: { app_id: appId }, body })
      onClose()
    },
    reword: ({ path }) => ({ path, message: 'Enter a day and a time' }),
  })
  return (
    <Dialog
      isOpen
      onOpenChange={onClose}
      title="Replay failed events"
      description="Every event that failed for good or expired is sent again, with the same id and content. Each gets one attempt."
    >
      <DialogForm form={form} submit="Replay them" onCancel={onClose}>
        <TextField
          form={form}
          name="since"
          label="Events since"
          hint="In your browser’s time zone."
          type="datetime-local"
          className="max-w-60"
        />
      </DialogForm>
    </Dialog>
  )
}
