import type { ProviderAnswer } from '@countersign/contract'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import PlugZap from 'lucide-react/icons/plug-zap'
import Plus from 'lucide-react/icons/plus'
import { useState } from 'react'
import { ProviderDialog } from '#components/providers/provider-dialog.tsx'
import { ProviderTable } from '#components/providers/provider-table.tsx'
import { Button } from '#components/ui/button.tsx'
import { Card } from '#components/ui/card.tsx'
import { ChannelSelect } from '#components/ui/channel-select.tsx'
import { Empty } from '#components/ui/empty.tsx'
import { Page } from '#components/ui/page.tsx'
import { Loaded } from '#components/ui/problem.tsx'
import { Segmented } from '#components/ui/segmented.tsx'
import { SkeletonRows } from '#components/ui/skeleton.tsx'
import { plural } from '#lib/format.ts'
import { useMe } from '#lib/session.ts'
import { useOpened } from '#lib/use-opened.ts'
import { useAllProviders } from './api/providers.ts'
import type { ProvidersSearch } from './search.ts'

const route = getRouteApi('/shell/operator/providers')

const isWanted =
  ({ owner, channel }: ProvidersSearch) =>
  (account: ProviderAnswer) =>
    (channel === undefined || account.channel === channel) &&
    (owner === undefined || (account.company_id === null) === (owner === 'operator'))

export function ProvidersPage() {
  const [isAdding, setAdding] = useOpened('add-provider')
  const [edited, setEdited] = useState<ProviderAnswer | null>(null)
  const search = route.useSearch()
  const query = useAllProviders()
  const add = (
    <Button variant="primary" onClick={() => setAdding(true)}>
      <Plus aria-hidden="true" />
      Add an account
    </Button>
  )
  return (
    <Page
      title="Providers"
      description="Your accounts with carriers. A message uses the company’s own accounts first, then the operator’s, each by priority."
      actions={add}
    >
      <Card isFlush title="Accounts" actions={<Filters search={search} />}>
        <Loaded query={query} loading={<SkeletonRows />}>
          {({ providers }) => (
            <Accounts
              accounts={providers.filter(isWanted(search))}
              isEmpty={providers.length === 0}
              onEdit={setEdited}
            />
          )}
        </Loaded>
      </Card>
      <ProviderDialog
        isOpen={isAdding}
        onOpenChange={setAdding}
        account={null}
        companyId={null}
        mayChooseOwner
      />
      <ProviderDialog
        key={edited?.provider_id}
        isOpen={edited !== null}
        onOpenChange={(isOpen) => {
          if (!isOpen) setEdited(null)
        }}
        account={edited}
        companyId={null}
      />
    </Page>
  )
}

interface AccountsProps {
  readonly accounts: readonly ProviderAnswer[]
  readonly isEmpty: boolean
  readonly onEdit: (account: ProviderAnswer) => void
}

function Accounts({ accounts, isEmpty, onEdit }: AccountsProps) {
  const hasSimulator = useMe().installation.phones_url !== null
  if (isEmpty) {
    return (
      <Empty title="No accounts yet" icon={<PlugZap />}>
        {hasSimulator
          ? 'The simulator carries all four channels: messages only reach its phones.'
          : 'Nothing can be sent until there is an account for a channel.'}
      </Empty>
    )
  }
  if (accounts.length === 0) return <Empty title="No matching accounts">Choose another filter.</Empty>
  return (
    <>
      <ProviderTable
        label="Provider accounts"
        accounts={accounts}
        onEdit={onEdit}
        disabledReason={undefined}
        showsOwner
      />
      <p className="border-t bg-page px-4 py-2.5 text-sm text-muted">
        {plural(accounts.length, 'account')}
        {hasSimulator && '. The simulator runs too, and stands last in the line on every channel'}
      </p>
    </>
  )
}

function Filters({ search }: { readonly search: ProvidersSearch }) {
  const navigate = useNavigate()
  const change = (part: ProvidersSearch) =>
    void navigate({ to: '.', search: (before) => ({ ...before, ...part }), replace: true })
  return (
    <>
      <Segmented
        label="Owner"
        value={search.owner ?? 'all'}
        options={[
          ['all', 'All'],
          ['operator', 'Operator'],
          ['companies', 'Companies'],
        ]}
        onChange={(owner) => change({ owner: owner === 'all' ? undefined : owner })}
      />
      <ChannelSelect value={search.channel} onChange={(channel) => change({ channel })} />
    </>
  )
}
