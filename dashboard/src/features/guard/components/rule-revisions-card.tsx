import { useInfiniteQuery } from '@tanstack/react-query'
import { Badge } from '#components/ui/badge.tsx'
import { Button } from '#components/ui/button.tsx'
import { Card } from '#components/ui/card.tsx'
import { Confirm } from '#components/ui/confirm.tsx'
import { Empty } from '#components/ui/empty.tsx'
import { Loaded } from '#components/ui/problem.tsx'
import { SkeletonRows } from '#components/ui/skeleton.tsx'
import { Time } from '#components/ui/values.tsx'
import { useMayChangeApp } from '#lib/app.ts'
import type { AnswerOf } from '#lib/client.ts'
import { plural } from '#lib/format.ts'
import { revisionsQuery } from '../api/queries.ts'
import { useRestoreRules } from '../api/restore-rules.ts'
import { modeLabels, sayThen, sayWhen } from '../lib/rule-words.ts'

type Revision = AnswerOf<'listRuleRevisions'>['revisions'][number]

interface RevisionsCardProps {
  readonly appId: string
  /** Whether there are unsaved edits, which restoring discards. */
  readonly isChanged: boolean
  readonly onRestored: (rules: AnswerOf<'getRules'>) => void
}

export function RevisionsCard(props: RevisionsCardProps) {
  const query = useInfiniteQuery(revisionsQuery(props.appId))
  return (
    <Card
      isFlush
      title="History"
      description="Earlier versions of the rules. The last hundred changes are kept."
    >
      <Loaded query={query} loading={<SkeletonRows rows={2} />}>
        {({ pages }) => {
          const revisions = pages.flatMap((page) => page.revisions)
          if (revisions.length === 0) return <Empty title="Nothing has been changed yet" />
          return (
            <>
              <ol aria-label="History of the rules" className="border-t">
                {revisions.map((revision, index) => (
                  <RevisionRow
                    key={revision.revision}
                    revision={revision}
                    isInForce={index === 0}
                    {...props}
                  />
                ))}
              </ol>
              {query.hasNextPage && (
                <div className="border-t px-4 py-2.5">
                  <Button
                    size="sm"
                    isBusy={query.isFetchingNextPage}
                    onClick={() => void query.fetchNextPage()}
                  >
                    Show older
                  </Button>
                </div>
              )}
            </>
          )
        }}
      </Loaded>
    </Card>
  )
}

const whoOf = ({ by }: Revision) => (by.actor === 'token' ? 'the operator’s token' : (by.email ?? 'somebody'))

function RevisionRow({
  revision,
  isInForce,
  appId,
  isChanged,
  onRestored,
}: RevisionsCardProps & { readonly revision: Revision; readonly isInForce: boolean }) {
  return (
    <li className="flex flex-wrap items-start justify-between gap-x-4 gap-y-1 border-b px-4 py-2.5 last:border-b-0">
      <details className="min-w-0 flex-1 basis-72">
        <summary className="cursor-pointer text-sm">
          <span className="font-medium">Revision {revision.revision}</span>{' '}
          <span className="text-muted">
            {plural(revision.rules.length, 'rule')}, by {whoOf(revision)}
            {revision.restored_from !== null && `, from revision ${revision.restored_from}`},{' '}
            <Time value={revision.created_at} />
          </span>
        </summary>
        <ul className="mt-2 flex flex-col gap-1 text-sm text-muted">
          {revision.rules.length === 0 && <li>No rules.</li>}
          {revision.rules.map((rule) => (
            <li key={rule.rule_id} className="[overflow-wrap:anywhere]">
              <span className="font-medium text-ink">{rule.name}</span> ({modeLabels[rule.mode]}):{' '}
              {sayWhen(rule.when)} {sayThen(rule.then)}.
            </li>
          ))}
        </ul>
      </details>
      {isInForce ? (
        <Badge tone="accent">In force</Badge>
      ) : (
        <Restore {...{ appId, revision, isChanged, onRestored }} />
      )}
    </li>
  )
}

function Restore({
  appId,
  revision: { revision },
  isChanged,
  onRestored,
}: RevisionsCardProps & { readonly revision: Revision }) {
  const { reason } = useMayChangeApp(appId)
  const restore = useRestoreRules(onRestored)
  const button = (
    <Button size="sm" aria-label={`Restore revision ${revision}`} disabledReason={reason}>
      Restore
    </Button>
  )
  if (reason !== undefined) return button
  return (
    <Confirm
      trigger={button}
      tone="calm"
      title={`Restore revision ${revision}?`}
      description={
        <p>
          Its rules replace those in force on every node within a second, as a new revision.
          {isChanged && ' Your unsaved changes are discarded.'}
        </p>
      }
      action="Restore"
      onConfirm={() => restore.mutateAsync({ params: { app_id: appId, revision: String(revision) } })}
    />
  )
}
