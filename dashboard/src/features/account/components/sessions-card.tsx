import { Badge } from '#components/ui/badge.tsx'
import { Button } from '#components/ui/button.tsx'
import { Card } from '#components/ui/card.tsx'
import { Confirm } from '#components/ui/confirm.tsx'
import { Loaded } from '#components/ui/problem.tsx'
import { SkeletonRows } from '#components/ui/skeleton.tsx'
import { type Column, Table } from '#components/ui/table.tsx'
import { Time } from '#components/ui/values.tsx'
import type { AnswerOf } from '#lib/client.ts'
import { useEndOtherSessions, useEndSession, useSessions } from '../api/sessions.ts'
import { describeUserAgent } from '../lib/user-agent.ts'

type Session = AnswerOf<'listSessions'>['sessions'][number]

const columns: readonly Column<Session>[] = [
  {
    key: 'browser',
    header: 'Browser',
    cell: ({ user_agent, is_current }) => (
      <span className="flex flex-wrap items-center gap-2 font-medium" title={user_agent ?? undefined}>
        {describeUserAgent(user_agent)}
        {is_current && <Badge tone="accent">this one</Badge>}
      </span>
    ),
  },
  {
    key: 'address',
    header: 'IP address',
    from: 'sm',
    cell: ({ address }) => <span className="font-mono text-xs">{address ?? '—'}</span>,
  },
  { key: 'since', header: 'Signed in', from: 'md', cell: ({ created_at }) => <Time value={created_at} /> },
  { key: 'used', header: 'Last used', cell: ({ last_used_at }) => <Time value={last_used_at} /> },
  {
    key: 'end',
    header: <span className="sr-only">Actions</span>,
    align: 'end',
    cell: (session) => <End session={session} />,
  },
]

export const SessionsCard = () => (
  <Card title="Sessions" description="Where you are signed in." actions={<EndOthers />} isFlush>
    <Loaded query={useSessions()} loading={<SkeletonRows rows={2} />}>
      {({ sessions }) => (
        <Table label="Sessions" rows={sessions} rowKey={({ session_id }) => session_id} columns={columns} />
      )}
    </Loaded>
  </Card>
)

function EndOthers() {
  const end = useEndOtherSessions()
  return (
    <Confirm
      trigger={
        <Button size="sm" variant="danger">
          Sign out everywhere else
        </Button>
      }
      title="Sign out everywhere else?"
      description="All your other sessions end immediately."
      action="Sign out everywhere else"
      onConfirm={() => end.mutateAsync({})}
    />
  )
}

function End({ session }: { readonly session: Session }) {
  const end = useEndSession()
  const name = describeUserAgent(session.user_agent)
  return (
    <Confirm
      trigger={
        <Button size="sm" variant="danger" aria-label={`Sign out ${session.is_current ? 'here' : name}`}>
          Sign out
        </Button>
      }
      title={session.is_current ? 'Sign out here?' : `Sign out ${name}?`}
      description="This takes effect immediately. Signing in again needs a new code or link, or a passkey."
      action="Sign out"
      onConfirm={() => end.mutateAsync({ params: { session_id: session.session_id } })}
    />
  )
}
