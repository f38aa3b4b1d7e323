import type { AuditAnswer } from '@countersign/contract'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import ClipboardList from 'lucide-react/icons/clipboard-list'
import { useCompanyName } from '#components/providers/use-company-name.ts'
import { Badge } from '#components/ui/badge.tsx'
import { Card } from '#components/ui/card.tsx'
import { CopyText } from '#components/ui/copy.tsx'
import { Empty } from '#components/ui/empty.tsx'
import { Pages } from '#components/ui/pages.tsx'
import { Loaded } from '#components/ui/problem.tsx'
import { SkeletonRows } from '#components/ui/skeleton.tsx'
import { type Column, Table } from '#components/ui/table.tsx'
import { textLink } from '#components/ui/text-link.tsx'
import { WholeTime } from '#components/ui/values.tsx'
import { appsQuery } from '#lib/app.ts'
import { cx } from '#lib/classes.ts'
import {
  type AuditEntry,
  actionText,
  actorText,
  changeLines,
  refusalText,
  subjectText,
} from '../lib/words.ts'

interface AuditTrailProps {
  readonly query: {
    readonly data: { readonly pages: readonly AuditAnswer[] } | undefined
    readonly error: unknown
    readonly refetch: () => unknown
    readonly hasNextPage: boolean
    readonly isFetchingNextPage: boolean
    readonly fetchNextPage: () => unknown
  }
  readonly showsCompany?: boolean
}

export const AuditTrail = ({ query, showsCompany = false }: AuditTrailProps) => (
  <Card isFlush>
    <Loaded query={query} loading={<SkeletonRows rows={10} />}>
      {({ pages }) => {
        const entries = pages.flatMap((page) => page.entries)
        if (entries.length === 0) {
          return (
            <Empty title="No changes yet" icon={<ClipboardList />}>
              Every change that a person or the operator’s token makes or attempts is recorded here.
            </Empty>
          )
        }
        return (
          <>
            <Table
              label="Changes"
              rows={entries}
              rowKey={({ audit_id }) => audit_id}
              columns={showsCompany ? [...columns.slice(0, 2), companyColumn, ...columns.slice(2)] : columns}
            />
            <Pages query={query} shown={entries.length} noun={['change', 'changes']} />
          </>
        )
      }}
    </Loaded>
  </Card>
)

/** Cells may have several lines; their first lines align. */
const top = 'align-top'

const companyColumn: Column<AuditEntry> = {
  key: 'company',
  className: cx(top, 'min-w-32'),
  header: 'Company',
  from: 'md',
  cell: ({ company_id }) =>
    company_id ? (
      <Link
        to="/c/$companyId/apps"
        params={{ companyId: company_id }}
        className={cx('[overflow-wrap:anywhere]', textLink)}
      >
        <CompanyName companyId={company_id} />
      </Link>
    ) : (
      <span className="text-faint">—</span>
    ),
}

const CompanyName = ({ companyId }: { readonly companyId: string }) => <>{useCompanyName(companyId)}</>

const columns: readonly Column<AuditEntry>[] = [
  {
    key: 'what',
    className: top,
    header: 'What',
    cell: (entry) => (
      <div className="flex flex-col gap-0.5 pb-0.5">
        <span className="flex flex-wrap items-center gap-2 font-medium">
          {actionText(entry.action)}
          {entry.outcome === 'unknown' && <Badge tone="warn">outcome not known</Badge>}
          {entry.outcome === 'refused' && <Badge tone="bad">{refusalText(entry)}</Badge>}
        </span>
        <span className="text-xs [overflow-wrap:anywhere] text-muted sm:hidden">{actorText(entry)}</span>
        <Changes entry={entry} />
      </div>
    ),
  },
  {
    key: 'who',
    header: 'Who',
    className: cx(top, 'min-w-52'),
    from: 'sm',
    cell: (entry) => (
      <span className="flex flex-col">
        <span className="[overflow-wrap:anywhere]">{actorText(entry)}</span>
        {entry.address && (
          <span className="font-mono text-xs [overflow-wrap:anywhere] text-faint">{entry.address}</span>
        )}
      </span>
    ),
  },
  {
    key: 'request',
    className: top,
    header: 'Request',
    from: 'xl',
    cell: ({ request_id }) => <CopyText text={request_id} label="Copy the request id" className="px-0" />,
  },
  { key: 'when', header: 'When', className: top, align: 'end', cell: ({ at }) => <WholeTime value={at} /> },
]

const Changes = ({ entry }: { readonly entry: AuditEntry }) => (
  <span className="flex flex-wrap gap-x-3 gap-y-0.5 text-xs text-muted">
    {changeLines(entry).map(([field, value]) => (
      <span key={field} className="[overflow-wrap:anywhere]">
        {field} <span className="text-ink">{value}</span>
      </span>
    ))}
    <Subject entry={entry} />
  </span>
)

const Subject = ({ entry }: { readonly entry: AuditEntry }) => {
  const what = subjectText(entry)
  return (
    <>
      {what && <span className="font-mono [overflow-wrap:anywhere] text-faint">{what}</span>}
      {entry.app_id && entry.company_id && <AppLink appId={entry.app_id} companyId={entry.company_id} />}
    </>
  )
}

/** An app by its name; a deleted app has only its id. */
function AppLink({ appId, companyId }: { readonly appId: string; readonly companyId: string }) {
  const { data } = useQuery(appsQuery(companyId))
  const name = data?.apps.find(({ app_id }) => app_id === appId)?.name
  return (
    <Link
      to="/a/$appId"
      params={{ appId }}
      className={cx('w-fit [overflow-wrap:anywhere]', !name && 'font-mono', textLink)}
    >
      {name ?? appId}
    </Link>
  )
}
