import { Link } from '@tanstack/react-router'
import { Card } from '#components/ui/card.tsx'
import { Empty } from '#components/ui/empty.tsx'
import { FirstRows } from '#components/ui/first-rows.tsx'
import { Loaded } from '#components/ui/problem.tsx'
import { SkeletonRows } from '#components/ui/skeleton.tsx'
import { type Column, nameColumn, rowLinkClass, Table } from '#components/ui/table.tsx'
import { Time } from '#components/ui/values.tsx'
import { placeInWords, widestFirst } from '#lib/block-words.ts'
import type { AnswerOf } from '#lib/client.ts'
import { formatCount } from '#lib/format.ts'
import { useAllBlocks } from '../api/installation.ts'

type Row = AnswerOf<'listAllBlocks'>['blocks'][number]

const columns: readonly Column<Row>[] = [
  {
    key: 'app',
    header: 'App',
    className: nameColumn,
    cell: ({ app_id, app_name, company_name }) => (
      <Link to="/a/$appId/guard" params={{ appId: app_id }} className={rowLinkClass}>
        {company_name} · {app_name}
      </Link>
    ),
  },
  { key: 'place', header: 'Place', cell: (block) => placeInWords(block).where },
  {
    key: 'evidence',
    header: 'Approved',
    align: 'end',
    from: 'sm',
    cell: ({ approved, numbers }) => `${formatCount(approved)} of ${formatCount(numbers)}`,
  },
  { key: 'until', header: 'Until', align: 'end', cell: ({ until }) => <Time value={until} /> },
]

/** What the guard against pumping holds back, in all apps of all companies. */
export function AllBlocksCard() {
  const query = useAllBlocks()
  return (
    <Card isFlush title="Blocks in all companies">
      <Loaded query={query} loading={<SkeletonRows rows={2} />}>
        {({ blocks }) =>
          blocks.length === 0 ? (
            <Empty title="Nothing is blocked">Pumped traffic that is held back appears here.</Empty>
          ) : (
            <FirstRows rows={widestFirst(blocks)} noun="blocks">
              {(shown) => (
                <Table
                  label="Blocks in all companies"
                  columns={columns}
                  rows={shown}
                  rowKey={({ block_id }) => block_id}
                />
              )}
            </FirstRows>
          )
        }
      </Loaded>
    </Card>
  )
}
