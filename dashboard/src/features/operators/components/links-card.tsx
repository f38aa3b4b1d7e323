import { Button } from '#components/ui/button.tsx'
import { Card } from '#components/ui/card.tsx'
import { Confirm } from '#components/ui/confirm.tsx'
import { Loaded } from '#components/ui/problem.tsx'
import { SkeletonRows } from '#components/ui/skeleton.tsx'
import { type Column, Table } from '#components/ui/table.tsx'
import { Time } from '#components/ui/values.tsx'
import type { AnswerOf } from '#lib/client.ts'
import { useRevokeLink, useSignInLinks } from '../api/operators.ts'

type SignInLink = AnswerOf<'listSignInLinks'>['links'][number]

const columns: readonly Column<SignInLink>[] = [
  {
    key: 'email',
    header: 'For',
    cell: ({ email }) => <span className="[overflow-wrap:anywhere]">{email}</span>,
  },
  {
    key: 'as',
    header: 'Signs in as',
    from: 'sm',
    cell: ({ is_operator }) => (is_operator ? 'Operator' : 'Member'),
  },
  { key: 'until', header: 'Valid until', cell: ({ expires_at }) => <Time value={expires_at} /> },
  {
    key: 'revoke',
    header: <span className="sr-only">Actions</span>,
    align: 'end',
    cell: (link) => <Revoke link={link} />,
  },
]

export const LinksCard = () => (
  <Card
    title="Sign-in links"
    description="One-time links that were made on the command line and not opened yet. Each works once, within an hour."
    isFlush
  >
    <Loaded query={useSignInLinks()} loading={<SkeletonRows rows={1} />}>
      {({ links }) =>
        links.length === 0 ? (
          <p className="px-4 pb-4 text-sm text-muted">There are no unused links.</p>
        ) : (
          <Table label="Sign-in links" rows={links} rowKey={({ link_id }) => link_id} columns={columns} />
        )
      }
    </Loaded>
  </Card>
)

function Revoke({ link }: { readonly link: SignInLink }) {
  const revoke = useRevokeLink()
  return (
    <Confirm
      trigger={
        <Button size="sm" variant="danger" aria-label={`Revoke the link for ${link.email}`}>
          Revoke
        </Button>
      }
      title="Revoke the link?"
      description={`The link for ${link.email} will stop working. A new one can be made on the command line.`}
      action="Revoke"
      onConfirm={() => revoke.mutateAsync({ params: { link_id: link.link_id } })}
    />
  )
}
