import { useQuery } from '@tanstack/react-query'
import ListX from 'lucide-react/icons/list-x'
import { Status } from '#components/ui/badge.tsx'
import { Card } from '#components/ui/card.tsx'
import { Empty } from '#components/ui/empty.tsx'
import { Loaded } from '#components/ui/problem.tsx'
import { SkeletonRows } from '#components/ui/skeleton.tsx'
import { type Column, Table } from '#components/ui/table.tsx'
import { asSentence } from '#lib/api-error.ts'
import { cx } from '#lib/classes.ts'
import type { AnswerOf } from '#lib/client.ts'
import { formatCount, formatSeconds } from '#lib/format.ts'
import { ipSourcesQuery } from '../api/queries.ts'

type Source = AnswerOf<'listIpSources'>['sources'][number]

export const IpSourcesCard = () => (
  <Card
    isFlush
    title="Address lists"
    description="What is known about client addresses. Abusive ones are refused; Tor, proxies, VPNs and data centres get the limit for flagged addresses; privacy relays are treated like any other. The lists belong to the operator and apply to every app."
  >
    <Loaded query={useQuery(ipSourcesQuery)} loading={<SkeletonRows rows={3} />}>
      {({ sources }) =>
        sources.length === 0 ? (
          <Empty title="No lists" icon={<ListX />}>
            Nothing is known about any address, so none is refused or flagged. The operator sets the lists in
            the file of <code className="font-mono text-xs">IP_SOURCES</code>.
          </Empty>
        ) : (
          <Table
            label="Address lists"
            columns={columns}
            rows={sources}
            rowKey={({ name, class: kind }) => `${name} ${kind}`}
          />
        )
      }
    </Loaded>
  </Card>
)

const classWords: Readonly<Record<string, string>> = {
  abusive: 'Abusive',
  tor: 'Tor',
  proxy: 'Proxy',
  vpn: 'VPN',
  hosting: 'Data centre',
  relay: 'Privacy relay',
}

/** The service passes on only the system's error code, never its message. */
const problemWords: Readonly<Record<string, string>> = {
  ENOENT: 'There is no such file.',
  EACCES: 'The file cannot be read.',
}

const columns: readonly Column<Source>[] = [
  {
    key: 'name',
    header: 'List',
    cell: ({ name, problem }) => (
      <div className="max-w-md py-0.5">
        <p className="font-medium [overflow-wrap:anywhere]">{name}</p>
        {problem && (
          <p className="text-xs font-medium text-bad">{problemWords[problem] ?? asSentence(problem)}</p>
        )}
      </div>
    ),
  },
  { key: 'class', header: 'Class', cell: ({ class: kind }) => classWords[kind] ?? kind },
  {
    key: 'entries',
    header: 'Entries',
    align: 'end',
    from: 'sm',
    cell: ({ entries }) => (entries === null ? '—' : formatCount(entries)),
  },
  { key: 'state', header: 'State', from: 'md', cell: (source) => <State source={source} /> },
  { key: 'age', header: 'Age', align: 'end', cell: (source) => <Age source={source} /> },
]

const isOld = ({ age_s, max_age_s }: Source) => age_s !== null && age_s > max_age_s

/** The age of a list, and the age up to which it is used. */
const Age = ({ source }: { readonly source: Source }) => {
  const { age_s, max_age_s } = source
  if (age_s === null) return <span className="text-faint">not read</span>
  return (
    <div className="inline-flex min-w-28 flex-col items-end gap-1">
      <span className="whitespace-nowrap">
        {formatSeconds(age_s)} <span className="text-faint">of {formatSeconds(max_age_s)}</span>
      </span>
      <span aria-hidden="true" className="h-1 w-full overflow-hidden rounded-full bg-line">
        <span
          className={cx('block h-full', isOld(source) ? 'bg-bad' : 'bg-accent')}
          style={{ width: `${Math.min(100, (age_s / max_age_s) * 100)}%` }}
        />
      </span>
    </div>
  )
}

function State({ source }: { readonly source: Source }) {
  if (source.problem) return <Status tone="bad">Problem</Status>
  if (isOld(source)) return <Status tone="warn">Too old</Status>
  return <Status tone="good">In use</Status>
}
