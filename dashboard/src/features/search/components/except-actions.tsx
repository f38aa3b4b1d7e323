import type { ShownException } from '@countersign/contract'
import type { Wanted } from '#components/recipient/wanted.ts'
import { Button } from '#components/ui/button.tsx'
import { Confirm } from '#components/ui/confirm.tsx'
import { exceptionQuestions } from '#components/verifications/exception.tsx'
import { usePermission } from '#lib/session.ts'
import { useExcept } from '../api/exceptions.ts'

interface ExceptActionsProps {
  readonly companyId: string
  readonly wanted: Wanted
  readonly exception: ShownException | null
}

/** What can be done for the person who was looked for, even if nothing was ever sent to them. */
export function ExceptActions({ companyId, wanted, exception }: ExceptActionsProps) {
  const { except, lift } = useExcept(companyId, wanted)
  const { reason } = usePermission(companyId, 'developer')
  return (
    <div className="flex flex-wrap gap-2">
      {exception && (
        <Button disabledReason={reason} onClick={() => lift(exception.exception_id)}>
          {exception.kind === 'blocked' ? 'Lift the block' : 'Remove the exception'}
        </Button>
      )}
      {exception?.kind !== 'allowed' && (
        <Confirm
          {...exceptionQuestions.allowed}
          trigger={<Button disabledReason={reason}>Allow past the guard…</Button>}
          onConfirm={() => except('allowed')}
        />
      )}
      {exception?.kind !== 'blocked' && (
        <Confirm
          {...exceptionQuestions.blocked}
          trigger={<Button disabledReason={reason}>Block…</Button>}
          onConfirm={() => except('blocked')}
        />
      )}
    </div>
  )
}
