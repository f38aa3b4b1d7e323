import { useQuery } from '@tanstack/react-query'
import { Stat } from '#components/ui/stat.tsx'
import { useApp } from '#lib/app.ts'
import { formatCount, plural } from '#lib/format.ts'
import { blocksQuery, ipSourcesQuery } from '../queries.ts'

const modeWords = { off: 'Off', monitor: 'Monitor', enforce: 'Enforce' } as const

/** The state of the guard in one line. */
export function GuardFigures({ appId }: { readonly appId: string }) {
  const { pumping, geo } = useApp(appId)
  const blocks = useQuery(blocksQuery(appId)).data?.blocks
  const sources = useQuery(ipSourcesQuery).data?.sources
  const broken = sources?.filter(
    ({ problem, age_s, max_age_s }) => problem !== null || (age_s !== null && age_s > max_age_s),
  )
  return (
    <dl className="grid grid-cols-2 gap-px overflow-hidden rounded-lg border bg-line lg:grid-cols-4">
      <Stat
        label="Active blocks"
        value={blocks ? formatCount(blocks.length) : '—'}
        note={`Pumping: ${modeWords[pumping.mode].toLowerCase()}`}
      />
      <Stat
        label="Countries"
        value={
          geo.mode === 'allow'
            ? `Only ${geo.countries.length}`
            : geo.countries.length === 0
              ? 'All'
              : `All but ${geo.countries.length}`
        }
        note="Email addresses always pass"
      />
      <Stat
        label="IP lists"
        value={sources ? formatCount(sources.length) : '—'}
        note={
          broken && (broken.length > 0 ? `${plural(broken.length, 'list')} not in order` : 'All in order')
        }
      />
    </dl>
  )
}
