import type { AppAnswer } from '@countersign/contract'
import { Button } from '#components/ui/button.tsx'
import { Card } from '#components/ui/card.tsx'
import { Confirm } from '#components/ui/confirm.tsx'
import { useMayChangeApp } from '#lib/app.ts'
import { formatExact } from '#lib/format.ts'
import { usePermission } from '#lib/session.ts'
import { useMove } from '#lib/use-move.ts'
import { useOpened } from '#lib/use-opened.ts'
import { useDeleteApp, usePauseApp, useResumeApp } from '../api/app.ts'
import { TypedQuestion } from './typed-question.tsx'

/** Stops an app for a while, or for good. */
export function AppEndCard({ app }: { readonly app: AppAnswer }) {
  return (
    <Card
      title="Pause or delete"
      description={
        app.paused_at
          ? `The app has been paused since ${formatExact(app.paused_at)}. Every new send is refused; pending verifications go on.`
          : 'A paused app refuses every new send, while pending verifications go on. A deleted app cannot be restored.'
      }
    >
      <div className="flex flex-wrap gap-2">
        {app.paused_at ? <Resume app={app} /> : <Pause app={app} />}
        <Delete app={app} />
      </div>
    </Card>
  )
}

function Pause({ app }: { readonly app: AppAnswer }) {
  const { reason } = useMayChangeApp(app.app_id)
  const pause = usePauseApp()
  return (
    <Confirm
      trigger={<Button disabledReason={reason}>Pause the app…</Button>}
      title={`Pause ${app.name}?`}
      description="From now on nobody new gets a code: every send is answered with 403 AppPausedError. Codes that were sent can still be entered."
      action="Pause the app"
      onConfirm={() => pause.mutateAsync({ params: { app_id: app.app_id } })}
    />
  )
}

function Resume({ app }: { readonly app: AppAnswer }) {
  const { reason } = useMayChangeApp(app.app_id)
  const resume = useResumeApp()
  return (
    <Button
      variant="primary"
      disabledReason={reason}
      isBusy={resume.isPending}
      onClick={() => resume.mutate({ params: { app_id: app.app_id } })}
    >
      Resume the app
    </Button>
  )
}

function Delete({ app }: { readonly app: AppAnswer }) {
  const [isOpen, setOpen] = useOpened('delete-app')
  const { reason } = usePermission(app.company_id, 'owner')
  const move = useMove()
  const remove = useDeleteApp()
  return (
    <>
      <Button variant="danger" disabledReason={reason} onClick={() => setOpen(true)}>
        Delete the app…
      </Button>
      <TypedQuestion
        isOpen={isOpen && reason === undefined}
        onOpenChange={setOpen}
        title={`Delete ${app.name}?`}
        description="Its keys stop working within a second. Its verifications, messages, events and figures are erased in the minutes after. The company’s ledger keeps the money. This cannot be undone."
        name={app.name}
        action="Delete the app"
        onConfirm={async () => {
          await remove.mutateAsync({ params: { app_id: app.app_id } })
          await move({ to: '/c/$companyId/apps', params: { companyId: app.company_id } })
        }}
      />
    </>
  )
}
