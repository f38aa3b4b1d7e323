import type { GuessingAnswer } from '@countersign/contract'
import { useQuery } from '@tanstack/react-query'
import { Stat } from '#components/ui/stat.tsx'
import { useApp } from '#lib/app.ts'
import { formatCount, formatShare, plural } from '#lib/format.ts'
import { blocksQuery, guessingQuery, ipSourcesQuery } from '../api/queries.ts'

const modeWords = {
  off: 'Off',
  monitor: 'Monitoring only',
  auto: 'Automatic',
  enforce: 'Enforced',
} as const
const unknown = '—'

function openCountries(mode: 'allow' | 'block', count: number): string {
  if (mode === 'allow') return `Only ${count}`
  return count === 0 ? 'All' : `All except ${count}`
}

/** The state of the guard in one line. */
export function GuardFigures({ appId }: { readonly appId: string }) {
  const { pumping, geo } = useApp(appId)
  const blocks = useQuery(blocksQuery(appId)).data?.blocks
  const guessing = useQuery(guessingQuery(appId)).data
  const sources = useQuery(ipSourcesQuery).data?.sources
  const broken = sources?.filter(
    ({ problem, age_s, max_age_s }) => problem !== null || (age_s !== null && age_s > max_age_s),
  )
  return (
    <dl className="grid grid-cols-2 gap-px overflow-hidden rounded-lg border bg-line lg:grid-cols-4">
      <Stat
        label="Active blocks"
        value={blocks ? formatCount(blocks.length) : unknown}
        note={modeWords[pumping.mode]}
      />
      <Stat
        label="Countries allowed"
        value={openCountries(geo.mode, geo.countries.length)}
        note="Email always passes"
      />
      <Stat
        label="Wrong codes, last hour"
        value={guessing ? formatShare(guessing.ratio) : unknown}
        note={guessing ? usualInWords(guessing) : unknown}
      />
      <Stat
        label="IP lists"
        value={sources ? formatCount(sources.length) : unknown}
        note={broken ? listsInWords(broken.length, sources?.length ?? 0) : unknown}
      />
    </dl>
  )
}

function usualInWords({ alarmed_since, usual_ratio }: GuessingAnswer): string {
  if (alarmed_since) return 'Alarm'
  return usual_ratio === null ? 'Not enough data yet' : `Usually ${formatShare(usual_ratio)}`
}

function listsInWords(broken: number, all: number): string {
  if (all === 0) return 'No addresses listed'
  return broken > 0 ? `${plural(broken, 'list needs', 'lists need')} attention` : 'All up to date'
}
