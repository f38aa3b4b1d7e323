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
import { Pages } from '#components/ui/pages.tsx'
import { Loaded } from '#components/ui/problem.tsx'
import { Segmented } from '#components/ui/segmented.tsx'
import { SkeletonRows } from '#components/ui/skeleton.tsx'
import { useMe } from '#lib/session.ts'
import { useOpened } from '#lib/use-opened.ts'
import { useAllProviders } from './api/providers.ts'
import type { ProvidersSearch } from './search.ts'

const route = getRouteApi('/shell/operator/providers')

export function ProvidersPage() {
  const [isAdding, setAdding] = useOpened('add-provider')
  const [edited, setEdited] = useState<ProviderAnswer | null>(null)
  const search = route.useSearch()
  const query = useAllProviders(search)
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
          {({ pages }) => (
            <Accounts
              accounts={pages.flatMap(({ providers }) => providers)}
              isFiltered={search.owner !== undefined || search.channel !== undefined}
              query={query}
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
  readonly isFiltered: boolean
  readonly query: ReturnType<typeof useAllProviders>
  readonly onEdit: (account: ProviderAnswer) => void
}

function Accounts({ accounts, isFiltered, query, onEdit }: AccountsProps) {
  const hasSimulator = useMe().installation.phones_url !== null
  if (accounts.length === 0 && isFiltered)
    return <Empty title="No matching accounts">Choose another filter.</Empty>
  if (accounts.length === 0) {
    return (
      <Empty title="No accounts yet" icon={<PlugZap />}>
        {hasSimulator
          ? 'The simulator carries all four channels: messages only reach its phones.'
          : 'Nothing can be sent until there is an account for a channel.'}
      </Empty>
    )
  }
  return (
    <>
      <ProviderTable
        label="Provider accounts"
        accounts={accounts}
        onEdit={onEdit}
        disabledReason={undefined}
        showsOwner
      />
      <Pages
        query={query}
        shown={accounts.length}
        noun={['account', 'accounts']}
        note={hasSimulator && 'The simulator is also running, and carries only what no account covers'}
      />
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
