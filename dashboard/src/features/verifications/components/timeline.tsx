import type { VerificationDetail } from '@countersign/contract'
import { Card } from '#components/ui/card.tsx'
import { cx } from '#lib/classes.ts'
import { formatExact, formatSeconds } from '#lib/format.ts'

type Entry = VerificationDetail['timeline'][number]

const dots: Readonly<Record<Entry['kind'], string>> = {
  started: 'border-accent bg-surface',
  resent: 'border-accent bg-surface',
  refused: 'border-warn bg-warn',
  queued: 'border-line-strong bg-surface',
  taken_over: 'border-warn bg-warn',
  sent: 'border-line-strong bg-surface',
  delivered: 'border-accent bg-accent',
  delivery_failed: 'border-bad bg-bad',
  wrong_code: 'border-warn bg-warn',
  approved: 'border-accent bg-accent',
  failed: 'border-bad bg-bad',
  cancelled: 'border-bad bg-bad',
  expired: 'border-faint bg-faint',
  event: 'border-line-strong bg-line-strong',
}

const isTurn = (kind: Entry['kind']) =>
  ['started', 'resent', 'approved', 'failed', 'cancelled', 'expired'].includes(kind)

/** What happened, oldest first, with the time since the start. */
export function Timeline({ entries }: { readonly entries: readonly Entry[] }) {
  const start = Date.parse(entries[0]?.at ?? '')
  return (
    <Card title="Timeline">
      <ol className="relative flex flex-col before:absolute before:top-3 before:bottom-3 before:left-[3.5px] before:w-px before:bg-line">
        {entries.map((entry, index) => (
          <li
            key={`${entry.at} ${entry.kind} ${entry.delivery_id ?? entry.event_id ?? index}`}
            className="relative grid grid-cols-[1rem_minmax(0,1fr)_auto] items-baseline gap-x-2 py-1 text-sm"
          >
            <span
              aria-hidden="true"
              className={cx(
                'relative top-px size-2 rounded-full border-[1.5px] ring-3 ring-surface',
                dots[entry.kind],
              )}
            />
            <span className={isTurn(entry.kind) ? 'font-medium' : 'text-muted'}>{entry.text}</span>
            <time dateTime={entry.at} title={formatExact(entry.at)} className="figures text-xs text-faint">
              {index === 0 ? formatExact(entry.at) : since(start, entry.at)}
            </time>
          </li>
        ))}
      </ol>
    </Card>
  )
}

const since = (start: number, at: string) =>
  `+ ${formatSeconds(Math.max((Date.parse(at) - start) / 1_000, 0))}`
