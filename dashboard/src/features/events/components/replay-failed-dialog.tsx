import { replayFailedBody } from '@countersign/contract/bodies'
import { DialogForm } from '#components/form/dialog-form.tsx'
import { TextField } from '#components/form/fields.tsx'
import { Dialog } from '#components/ui/dialog.tsx'
import { against } from '#lib/form/problems.ts'
import { useForm } from '#lib/form/use-form.ts'
import { browserZone, clockAt, momentOf, useChosenZone } from '#lib/time-zone.ts'
import { useReplayFailed } from '../api/replay.ts'

interface ReplayFailedDialogProps {
  readonly appId: string
  readonly onClose: () => void
}

const dayMs = 86_400_000

/** The length of a date and time without seconds. */
const clockLength = 16

/** A text that is not a time stays as it is, and the contract refuses it. */
const asTime = (text: string) => {
  const moment = momentOf(text)
  return Number.isNaN(moment) ? text : new Date(moment).toISOString()
}

export function ReplayFailedDialog({ appId, onClose }: ReplayFailedDialogProps) {
  const replay = useReplayFailed()
  const zone = useChosenZone() ?? browserZone
  const form = useForm({
    initial: { since: clockAt(Date.now() - dayMs).slice(0, clockLength) },
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
      <DialogForm form={form} submit="Replay" onCancel={onClose}>
        <TextField
          form={form}
          name="since"
          label="Events since"
          hint={`Time zone: ${zone.replaceAll('_', ' ')}.`}
          type="datetime-local"
          className="max-w-60"
        />
      </DialogForm>
    </Dialog>
  )
}
