import type { BlockAnswer } from '@countersign/contract'
import { useQuery } from '@tanstack/react-query'
import ShieldCheck from 'lucide-react/icons/shield-check'
import type { ReactNode } from 'react'
import { Status } from '#components/ui/badge.tsx'
import { Card } from '#components/ui/card.tsx'
import { Empty } from '#components/ui/empty.tsx'
import { FirstRows } from '#components/ui/first-rows.tsx'
import { Loaded } from '#components/ui/problem.tsx'
import { SkeletonRows } from '#components/ui/skeleton.tsx'
import { type Column, Table } from '#components/ui/table.tsx'
import { useApp } from '#lib/app.ts'
import { evidenceOf, placeInWords, widestFirst } from '#lib/block-words.ts'
import { formatCount, formatExact, formatSeconds } from '#lib/format.ts'
import { useNow } from '#lib/use-now.ts'
import { blocksQuery } from '../api/queries.ts'
import { type Done, DoneNotice } from './act.tsx'
import { PlaceActions } from './place-actions.tsx'

interface BlocksCardProps {
  readonly appId: string
  /** Kept by the page, so that it can still be undone when somebody comes back from another tab. */
  readonly done: Done | null
  readonly onDone: (done: Done) => void
}

export function BlocksCard({ appId, done, onDone }: BlocksCardProps) {
  const query = useQuery(blocksQuery(appId))
  const { mode } = useApp(appId).pumping
  return (
    <Card
      isFlush
      title="Active blocks"
      description="Number ranges that get no text messages for now, because the codes sent there are not used."
    >
      <DoneNotice done={done} onDone={onDone} />
      <Loaded query={query} loading={<SkeletonRows rows={3} />}>
        {({ blocks }) =>
          blocks.length === 0 ? (
            <Empty title="Nothing is blocked" icon={<ShieldCheck />}>
              {mode === 'off'
                ? 'The guard against pumping is off for this app.'
                : 'A number range appears here when the codes sent to it are not used.'}
            </Empty>
          ) : (
            <>
              {mode === 'auto' && (
                <Aside>
                  While the guard learns, it blocks only single addresses, ranges of up to 1,000 numbers, and
                  places where hardly anybody uses the code. Messages to the simulator are never blocked.
                </Aside>
              )}
              {mode === 'monitor' && <Aside>The guard only watches. This is what it would block.</Aside>}
              <FirstRows rows={widestFirst(blocks)} noun="blocks">
                {(shown) => <Blocks appId={appId} blocks={shown} onDone={onDone} />}
              </FirstRows>
            </>
          )
        }
      </Loaded>
    </Card>
  )
}

const Aside = ({ children }: { readonly children: ReactNode }) => (
  <p className="px-4 pb-2 text-sm text-warn">{children}</p>
)

interface BlocksProps {
  readonly appId: string
  readonly blocks: readonly BlockAnswer[]
  readonly onDone: (done: Done) => void
}

function Blocks({ appId, blocks, onDone }: BlocksProps) {
  const columns: Column<BlockAnswer>[] = [
    { key: 'place', header: 'Place', cell: (block) => <Place block={block} /> },
    {
      key: 'kind',
      header: 'State',
      from: 'sm',
      cell: ({ kind }) =>
        kind === 'hold' ? <Status tone="warn">Held briefly</Status> : <Status tone="bad">Blocked</Status>,
    },
    { key: 'evidence', header: 'Evidence', from: 'md', cell: evidenceOf },
    {
      key: 'times',
      header: 'Times',
      align: 'end',
      from: 'md',
      cell: ({ times }) => (times === 0 ? '—' : formatCount(times)),
    },
    { key: 'until', header: 'Ends in', align: 'end', cell: ({ until }) => <Countdown until={until} /> },
    {
      key: 'lift',
      header: <span className="sr-only">Actions</span>,
      align: 'end',
      cell: (block) => (
        <div className="flex flex-wrap justify-end gap-1">
          <PlaceActions appId={appId} block={block} onDone={onDone} />
        </div>
      ),
    },
  ]
  return <Table label="Active blocks" columns={columns} rows={blocks} rowKey={({ block_id }) => block_id} />
}

const Place = ({ block }: { readonly block: BlockAnswer }) => {
  const { what, where } = placeInWords(block)
  return (
    <div className="py-0.5">
      <p className="font-medium">{where}</p>
      <p className="text-xs text-muted">{what}</p>
      <p className="text-xs text-muted md:hidden">{evidenceOf(block)}</p>
    </div>
  )
}

const everySecond = 1_000

function Countdown({ until }: { readonly until: string }) {
  const leftSeconds = (new Date(until).getTime() - useNow(everySecond)) / 1_000
  return (
    <time dateTime={until} title={formatExact(until)} className="whitespace-nowrap">
      {leftSeconds > 0 ? formatSeconds(Math.round(leftSeconds)) : 'over'}
    </time>
  )
}
