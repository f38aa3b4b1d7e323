import type { ProviderAnswer } from '@countersign/contract'
import { Link } from '@tanstack/react-router'
import { accountName } from '#components/providers/account-names.ts'
import { AccountState } from '#components/providers/account-state.tsx'
import { Card } from '#components/ui/card.tsx'
import { Empty } from '#components/ui/empty.tsx'
import { Loaded } from '#components/ui/problem.tsx'
import { SkeletonRows } from '#components/ui/skeleton.tsx'
import { type Column, nameColumn, rowLinkClass, Table } from '#components/ui/table.tsx'
import { channelLabels } from '#lib/format.ts'
import { useAccountStates } from '../api/installation.ts'

const urgency = { failing: 0, connecting: 1, unknown: 2, up: 3 } as const

const columns: readonly Column<ProviderAnswer>[] = [
  {
    key: 'account',
    header: 'Account',
    className: nameColumn,
    cell: (account) => (
      <Link to="/operator/providers" className={rowLinkClass}>
        {accountName(account)}
      </Link>
    ),
  },
  { key: 'channel', header: 'Channel', from: 'sm', cell: ({ channel }) => channelLabels[channel] },
  { key: 'state', header: 'State', cell: (account) => <AccountState account={account} /> },
]

const mostShown = 20

/** Provider accounts that are in use, failing ones first. */
export function HealthCard() {
  const query = useAccountStates()
  return (
    <Card isFlush title="Provider health">
      <Loaded query={query} loading={<SkeletonRows rows={3} />}>
        {({ providers }) => {
          const used = providers
            .filter(({ enabled }) => enabled)
            .toSorted((one, other) => urgency[one.state.status] - urgency[other.state.status])
          return used.length === 0 ? (
            <Empty title="No accounts in use">
              Add one under Providers. Until then only the simulator carries messages.
            </Empty>
          ) : (
            <Table
              label="Provider health"
              columns={columns}
              rows={used.slice(0, mostShown)}
              rowKey={({ provider_id }) => provider_id}
            />
          )
        }}
      </Loaded>
    </Card>
  )
}
