/** What went wrong, with the request id to copy. */

import type { FieldProblem } from '@countersign/contract'
import CircleAlert from 'lucide-react/icons/circle-alert'
import { type ReactNode, useState } from 'react'
import { ApiError, messageOf } from '#lib/api-error.ts'
import { cx } from '#lib/classes.ts'
import { Button } from './button.tsx'
import { CopyText } from './copy.tsx'

export const RequestId = ({ error }: { readonly error: unknown }) =>
  error instanceof ApiError && error.requestId ? (
    <span className="flex items-center gap-1 text-xs text-muted">
      Request <CopyText text={error.requestId} label="Copy the request id" />
    </span>
  ) : null

interface FormProblemProps {
  readonly error?: unknown
  /** Problems of values that have no field in the form. */
  readonly others?: readonly FieldProblem[]
  readonly isBesideFields?: boolean
}

/** Shown above a form's buttons: the refusal, and problems of values that the form does not show. */
export function FormProblem({ error, others = [], isBesideFields = false }: FormProblemProps) {
  if (!error && others.length === 0) return null
  return (
    <div
      role="alert"
      className="flex flex-col gap-1 rounded-md border border-bad bg-bad-soft px-3 py-2 text-sm"
    >
      <p className="font-medium text-bad">{isBesideFields || !error ? correctIt : messageOf(error)}</p>
      {others.filter(isOfField).map(({ path, message }) => (
        <p key={path} className="text-ink">
          <code className="font-mono text-xs">{path}</code> {message}
        </p>
      ))}
      <RequestId error={error} />
    </div>
  )
}

/** Problems of the call as a whole have no path, and are shown above. */
const isOfField = ({ path }: FieldProblem) => path !== ''

const correctIt = 'Please correct the marked fields.'

interface ProblemProps {
  readonly error: unknown
  readonly title?: string
  readonly onRetry?: (() => void) | undefined
  readonly className?: string
}

/** Shown in place of something that could not be loaded. */
export const Problem = ({ error, title = 'This could not be loaded', onRetry, className }: ProblemProps) => (
  <div
    role="alert"
    className={cx('flex flex-col items-start gap-2 rounded-lg border bg-surface px-4 py-4', className)}
  >
    <p className="flex items-center gap-2 font-medium">
      <CircleAlert className="size-4 text-bad" aria-hidden="true" />
      {title}
    </p>
    <p className="text-sm text-muted">{messageOf(error)}</p>
    <RequestId error={error} />
    {onRetry && (
      <Button size="sm" onClick={onRetry}>
        Try again
      </Button>
    )}
  </div>
)

interface FirstLoadProps {
  readonly isOver: boolean
  readonly children?: ReactNode
}

/** What is below it is shown once it is over, so that it does not move when somebody presses it (`styles.css`). */
export const FirstLoad = ({ isOver, children }: FirstLoadProps) => (
  <div data-first-load={isOver ? undefined : ''} className="contents">
    {children}
  </div>
)

/**
 * Whether the query was answered once, also by an error. From then on, what is below stays in sight while it is read
 * again: somebody may be typing there.
 */
export function useWasAnswered({
  data,
  error,
}: {
  readonly data: unknown
  readonly error: unknown
}): boolean {
  const [wasAnswered, setAnswered] = useState(false)
  const isAnswered = data !== undefined || Boolean(error)
  if (isAnswered && !wasAnswered) setAnswered(true)
  return wasAnswered || isAnswered
}

interface AnswerProps {
  /** Whether it is the answer to what is asked now. */
  readonly isCurrent: boolean
  readonly children: ReactNode
}

export const Answer = ({ isCurrent, children }: AnswerProps) => (
  <div aria-busy={!isCurrent || undefined} className="contents aria-busy:*:opacity-50">
    {children}
  </div>
)

interface LoadedProps<Data> {
  readonly query: {
    readonly data: Data | undefined
    readonly error: unknown
    readonly refetch: () => unknown
    /** Whether the data answers the question before this one. */
    readonly isPlaceholderData?: boolean
  }
  readonly loading: ReactNode
  /** Whether `loading` is as high as what it stands for, so that nothing below it moves. */
  readonly keepsHeight?: boolean
  readonly children: (data: Data) => ReactNode
}

/**
 * The three states of a query: loading, failed, loaded. Loaded data stays while it is read again. If it answers another
 * question than the one that is asked now, it is faint until the answer has come.
 */
export function Loaded<Data>({ query, loading, keepsHeight = false, children }: LoadedProps<Data>) {
  const wasAnswered = useWasAnswered(query)
  if (query.data !== undefined)
    return <Answer isCurrent={!query.isPlaceholderData}>{children(query.data)}</Answer>
  // Without a border, since there is mostly one around it.
  if (query.error)
    return <Problem error={query.error} onRetry={() => void query.refetch()} className="border-0" />
  return <FirstLoad isOver={wasAnswered || keepsHeight}>{loading}</FirstLoad>
}
