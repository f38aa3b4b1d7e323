import type { ShownException } from '@countersign/contract'
import { Notice } from '#components/ui/notice.tsx'
import { ExactTime } from '#components/ui/values.tsx'

/** Says that a recipient is blocked or allowed past the guard; nothing if there is no exception. */
export function Exception({ exception }: { readonly exception: ShownException | null }) {
  if (!exception) return null
  const { kind, created_by, created_at, expires_at } = exception
  const isBlocked = kind === 'blocked'
  return (
    <Notice
      tone={isBlocked ? 'warn' : 'plain'}
      title={
        isBlocked ? 'Blocked in all apps of the company' : 'Allowed past the guard in all apps of the company'
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

/** The questions that are asked before an exception is made. */
export const exceptionQuestions = {
  blocked: {
    title: 'Block this recipient?',
    description: 'No app of the company sends anything to this person until you lift the block.',
    action: 'Block',
    tone: 'danger',
  },
  allowed: {
    title: 'Allow this recipient past the guard?',
    description:
      'For a day, the app’s own rules, IP lists and the guard against pumping will not stop messages to this person. Country settings, limits, caps and the balance still apply.',
    action: 'Allow for a day',
    tone: 'calm',
  },
} as const
