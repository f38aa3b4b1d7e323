import type { ShownException } from '@countersign/contract'
import { Notice } from '#components/ui/notice.tsx'
import { ExactTime } from '#components/ui/values.tsx'

/** What stands against or for a recipient; nothing where they are like any other. */
export function Exception({ exception }: { readonly exception: ShownException | null }) {
  if (!exception) return null
  const { kind, created_by, created_at, expires_at } = exception
  const isBlocked = kind === 'blocked'
  return (
    <Notice
      tone={isBlocked ? 'warn' : 'plain'}
      title={
        isBlocked ? 'Blocked in all apps of the company' : 'Let past the guard in all apps of the company'
      }
    >
      <p>
        By {created_by ?? 'the operator'}, <ExactTime value={created_at} />
        {expires_at && (
          <>
            , until <ExactTime value={expires_at} />
          </>
        )}
        .
      </p>
    </Notice>
  )
}
