import type { ProviderAnswer } from '@countersign/contract'
import { Button } from '#components/ui/button.tsx'
import { Confirm } from '#components/ui/confirm.tsx'
import { Switch } from '#components/ui/switch.tsx'
import { type Column, nameColumn, Table } from '#components/ui/table.tsx'
import { channelLabels, countryName } from '#lib/format.ts'
import { useChange } from '#lib/use-change.ts'
import { accountName, kindLabel, senderOf } from './account-names.ts'
import { AccountState } from './account-state.tsx'
import { TestAccount } from './test-dialog.tsx'
import { useCompanyName } from './use-company-name.ts'

interface ProviderTableProps {
  readonly label: string
  readonly accounts: readonly ProviderAnswer[]
  /** Opens an account. People who may not change it can still look at it. */
  readonly onEdit: (account: ProviderAnswer) => void
  /** Why this person may not change accounts; absent if they may. */
  readonly disabledReason: string | undefined
  readonly showsOwner?: boolean
}

export function ProviderTable({
  label,
  accounts,
  onEdit,
  disabledReason,
  showsOwner = false,
}: ProviderTableProps) {
  const columns: Column<ProviderAnswer>[] = [
    { key: 'account', header: 'Account', cell: (account) => <Named account={account} /> },
    { key: 'health', header: 'State', from: 'sm', cell: (account) => <AccountState account={account} /> },
    { key: 'channel', header: 'Channel', from: 'sm', cell: ({ channel }) => channelLabels[channel] },
    ...(showsOwner
      ? [
          {
            key: 'owner',
            header: 'Owner',
            from: 'md' as const,
            className: nameColumn,
            cell: ({ company_id }: ProviderAnswer) => <Owner companyId={company_id} />,
          },
        ]
      : []),
    { key: 'countries', header: 'Countries', from: 'xl', cell: (account) => <Countries account={account} /> },
    { key: 'priority', header: 'Priority', align: 'end', from: 'md', cell: ({ priority }) => priority },
    {
      key: 'state',
      header: 'In use',
      cell: (account) => <Carries account={account} disabledReason={disabledReason} />,
    },
    {
      key: 'actions',
      header: <span className="sr-only">Actions</span>,
      align: 'end',
      cell: (account) => (
        <span className="inline-flex gap-1.5 py-1.5 max-sm:flex-col sm:py-0">
          <Button
            size="sm"
            aria-label={`${disabledReason ? 'View' : 'Edit'} ${accountName(account)}`}
            onClick={() => onEdit(account)}
          >
            {disabledReason ? 'View' : 'Edit'}
          </Button>
          {!disabledReason && <TestAccount account={account} />}
          {!disabledReason && <Remove account={account} />}
        </span>
      ),
    },
  ]
  return <Table label={label} columns={columns} rows={accounts} rowKey={({ provider_id }) => provider_id} />
}

const Named = ({ account }: { readonly account: ProviderAnswer }) => (
  <div className="max-w-44 min-w-0 py-0.5 sm:max-w-64">
    <p className="font-medium [overflow-wrap:anywhere]">{accountName(account)}</p>
    <p className="text-xs text-muted [overflow-wrap:anywhere]">
      {[account.name && kindLabel(account), senderOf(account)].filter(Boolean).join(' · ')}
    </p>
    <div className="sm:hidden">
      <AccountState account={account} />
    </div>
  </div>
)

const Owner = ({ companyId }: { readonly companyId: string | null }) => {
  const name = useCompanyName(companyId)
  return companyId === null ? <span className="text-muted">Operator</span> : name
}

function Countries({ account: { channel, countries } }: { readonly account: ProviderAnswer }) {
  if (channel === 'email') return <span className="text-faint">—</span>
  if (!countries) return <span className="text-muted">All countries</span>
  const [first, second, ...rest] = countries
  return (
    <span title={countries.map(countryName).join(', ')} className="whitespace-nowrap">
      {[first, second].filter(Boolean).join(', ')}
      {rest.length > 0 && ` and ${rest.length} more`}
    </span>
  )
}

interface RowProps {
  readonly account: ProviderAnswer
  readonly disabledReason: string | undefined
}

function Carries({ account, disabledReason }: RowProps) {
  const change = useChange('updateProvider', {
    says: (saved) => `${accountName(saved)} ${saved.enabled ? 'carries messages again.' : 'is off.'}`,
    refreshes: ['listProviders'],
  })
  return (
    <Switch
      label={`${accountName(account)} carries messages`}
      isLabelHidden
      isOn={change.isPending ? !account.enabled : account.enabled}
      disabledReason={disabledReason}
      onChange={(enabled) =>
        change.mutate({ params: { provider_id: account.provider_id }, body: { enabled } })
      }
    />
  )
}

function Remove({ account }: Pick<RowProps, 'account'>) {
  const name = accountName(account)
  const remove = useChange('deleteProvider', {
    says: `${name} is removed.`,
    refreshes: ['listProviders'],
    problems: 'form',
  })
  return (
    <Confirm
      trigger={
        <Button size="sm" variant="danger" aria-label={`Remove ${name}`}>
          Remove
        </Button>
      }
      title={`Remove ${name}?`}
      description="Its credentials are deleted. Messages go to the next account that can carry them, and receipts that still arrive for it are ignored."
      action="Remove the account"
      onConfirm={() => remove.mutateAsync({ params: { provider_id: account.provider_id } })}
    />
  )
}
