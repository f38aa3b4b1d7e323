import { useNavigate, useSearch } from '@tanstack/react-router'
import KeyRound from 'lucide-react/icons/key-round'
import Plus from 'lucide-react/icons/plus'
import { Button } from '#components/ui/button.tsx'
import { Card } from '#components/ui/card.tsx'
import { Empty } from '#components/ui/empty.tsx'
import { Pages } from '#components/ui/pages.tsx'
import { Loaded } from '#components/ui/problem.tsx'
import { Segmented } from '#components/ui/segmented.tsx'
import { SkeletonRows } from '#components/ui/skeleton.tsx'
import { useMayChangeApp } from '#lib/app.ts'
import { useOpened } from '#lib/use-opened.ts'
import { useKeys } from '../api/keys.ts'
import type { KeyFilter } from '../search.ts'
import { CreateKeyDialog } from './create-key-dialog.tsx'
import { KeysTable } from './keys-table.tsx'

const filters = [
  ['live', 'Live'],
  ['revoked', 'Revoked'],
  ['all', 'All'],
] as const

export function KeysCard({ appId }: { readonly appId: string }) {
  const { show = 'live' } = useSearch({ from: '/shell/a/$appId/keys' })
  const query = useKeys(appId, show)
  const { may, reason } = useMayChangeApp(appId)
  const [isCreating, setCreating] = useOpened('create-key')
  const navigate = useNavigate()
  const setShow = (filter: KeyFilter) =>
    void navigate({
      to: '.',
      search: (search) => ({ ...search, show: filter === 'live' ? undefined : filter }),
      replace: true,
    })
  const create = (
    <Button variant="primary" disabledReason={reason} onClick={() => setCreating(true)}>
      <Plus aria-hidden="true" />
      Create a key
    </Button>
  )
  return (
    <Card
      title="Keys"
      description="A server key is for your backend, a publishable key for browsers and apps."
      isFlush
      actions={
        <>
          <Segmented label="Show" value={show} options={filters} onChange={setShow} />
          {create}
        </>
      }
    >
      <Loaded query={query} loading={<SkeletonRows rows={3} />}>
        {({ pages }) => {
          const keys = pages.flatMap((page) => page.keys)
          if (keys.length === 0) return <NoKeys filter={show} />
          return (
            <>
              <KeysTable appId={appId} keys={keys} />
              {query.hasNextPage && <Pages query={query} shown={keys.length} noun={['key', 'keys']} />}
            </>
          )
        }}
      </Loaded>
      {may && isCreating && <CreateKeyDialog appId={appId} onClose={() => setCreating(false)} />}
    </Card>
  )
}

const NoKeys = ({ filter }: { readonly filter: KeyFilter }) =>
  filter === 'revoked' ? (
    <Empty title="No key has been revoked" className="py-8" />
  ) : (
    <Empty title={filter === 'live' ? 'No active keys' : 'No keys yet'} icon={<KeyRound />} className="py-8">
      Nothing can call the service for this app until it has a key. Start with a server key for your backend.
    </Empty>
  )
