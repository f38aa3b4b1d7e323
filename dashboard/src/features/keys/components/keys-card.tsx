import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import KeyRound from 'lucide-react/icons/key-round'
import Plus from 'lucide-react/icons/plus'
import { Button } from '#components/ui/button.tsx'
import { Card } from '#components/ui/card.tsx'
import { Empty } from '#components/ui/empty.tsx'
import { Loaded } from '#components/ui/problem.tsx'
import { Segmented } from '#components/ui/segmented.tsx'
import { SkeletonRows } from '#components/ui/skeleton.tsx'
import { useMayChangeApp } from '#lib/app.ts'
import { queryOf } from '#lib/queries.ts'
import { useOpened } from '#lib/use-opened.ts'
import type { KeyFilter } from '../search.ts'
import { CreateKeyDialog } from './create-key-dialog.tsx'
import { type Key, KeysTable } from './keys-table.tsx'

const filters = [
  ['live', 'Live'],
  ['revoked', 'Revoked'],
  ['all', 'All'],
] as const

const isShown = (key: Key, filter: KeyFilter) =>
  filter === 'all' || (filter === 'revoked') === (key.revoked_at !== null)

export function KeysCard({ appId }: { readonly appId: string }) {
  const query = useQuery(queryOf('listKeys', { params: { app_id: appId } }))
  const { may, reason } = useMayChangeApp(appId)
  const [isCreating, setCreating] = useOpened('create-key')
  const navigate = useNavigate()
  const { show = 'live' } = useSearch({ from: '/shell/a/$appId/keys' })
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
          <Segmented label="Keys to show" value={show} options={filters} onChange={setShow} />
          {create}
        </>
      }
    >
      <Loaded query={query} loading={<SkeletonRows rows={3} />}>
        {({ keys }) => {
          const shown = keys.filter((key) => isShown(key, show))
          return shown.length > 0 ? (
            <KeysTable appId={appId} keys={shown} />
          ) : (
            <NoKeys hasOthers={keys.length > 0} filter={show} />
          )
        }}
      </Loaded>
      {may && isCreating && <CreateKeyDialog appId={appId} onClose={() => setCreating(false)} />}
    </Card>
  )
}

interface NoKeysProps {
  readonly hasOthers: boolean
  readonly filter: KeyFilter
}

const NoKeys = ({ hasOthers, filter }: NoKeysProps) =>
  filter === 'revoked' ? (
    <Empty title="No key has been revoked" className="!py-8" />
  ) : (
    <Empty title={hasOthers ? 'Every key is revoked' : 'No keys yet'} icon={<KeyRound />} className="!py-8">
      Nothing can call the service for this app until it has a key. Start with a server key for your backend.
    </Empty>
  )
