import { Dialog, DialogActions } from '#components/ui/dialog.tsx'
import { Field } from '#components/ui/field.tsx'
import { Input } from '#components/ui/input.tsx'
import { FormProblem } from '#components/ui/problem.tsx'
import { plural } from '#lib/format.ts'
import { useChange } from '#lib/use-change.ts'
import { useForm } from '#lib/use-form.ts'

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

export function ReplayFailedDialog({ appId, onClose }: ReplayFailedDialogProps) {
  const replay = useChange('replayFailed', {
    says: ({ replayed }) =>
      replayed === 0 ? 'Nothing was given up since then' : `${plural(replayed, 'event')} sent once more`,
    refreshes: ['listEvents'],
    problems: 'form',
  })
  const form = useForm({
    initial: { since: localTime(Date.now() - dayMs) },
    check: ({ since }) => ({
      since: Number.isNaN(Date.parse(since)) ? 'Enter a day and a time' : undefined,
    }),
    submit: async ({ since }) => {
      const body = { since: new Date(since).toISOString() }
      await replay.mutateAsync({ params: { app_id: appId }, body })
      onClose()
    },
  })
  return (
    <Dialog
      isOpen
      onOpenChange={onClose}
      title="Replay given-up events"
      description="Every event that was given up or has expired is sent once more, with the same id and bytes. Each has one attempt."
    >
      <form onSubmit={form.onSubmit} noValidate className="flex flex-col gap-4">
        <Field
          label="Of those that happened since"
          hint="In the time of your browser."
          problem={form.problem('since')}
        >
          {(control) => (
            <Input
              {...control}
              type="datetime-local"
              className="max-w-60"
              value={form.values.since}
              onChange={(event) => form.set('since', event.target.value)}
            />
          )}
        </Field>
        <FormProblem error={form.error} fields={['since']} />
        <DialogActions submit="Replay them" isSending={form.isSending} onCancel={onClose} />
      </form>
    </Dialog>
  )
}
