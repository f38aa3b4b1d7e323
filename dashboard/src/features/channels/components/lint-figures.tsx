import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Money } from '#components/ui/values.tsx'
import { timesAmount } from '#lib/amount.ts'
import { formatCount } from '#lib/format.ts'
import { pricesQuery } from '#lib/money.ts'
import type { Lint } from '../api/lint.ts'
import type { MessageChannel } from '../search.ts'

interface LintFiguresProps {
  readonly lint: Lint
  readonly channel: MessageChannel
}

/** How many characters one SMS holds, by GSM 03.38 and 3GPP TS 23.040. A part of a longer one holds a little less. */
const room = { gsm7: 160, ucs2: 70 } as const
const encodings = { gsm7: 'GSM-7', ucs2: 'Unicode' } as const

export function LintFigures({ lint: { encoding, segments, units, price }, channel }: LintFiguresProps) {
  // The only WhatsApp text written here is the reply to a person, which has a price of its own.
  const isReply = channel === 'whatsapp'
  const reply = useQuery(pricesQuery).data?.default.whatsapp_reply ?? price
  const figures: readonly (readonly [string, ReactNode])[] = [
    ...(encoding !== null && segments !== null && units !== null
      ? ([
          ['Encoding', encodings[encoding]],
          ['Segments', formatCount(segments)],
          ['Characters', segments === 1 ? `${units} of ${room[encoding]}` : formatCount(units)],
        ] as const)
      : []),
    [isReply ? 'Price of the answer' : 'Price', <Money key="price" amount={isReply ? reply : price} />],
    ...(segments !== null && segments > 1
      ? ([
          [
            `If a carrier counts ${segments} segments`,
            <Money key="parts" amount={timesAmount(price, segments)} />,
          ],
        ] as const)
      : []),
  ]
  return (
    <dl aria-label="What this text costs" className="flex flex-wrap gap-x-8 gap-y-2 border-t pt-3">
      {figures.map(([label, value]) => (
        <div key={label}>
          <dt className="text-xs text-muted">{label}</dt>
          <dd className="figures text-sm font-medium">{value}</dd>
        </div>
      ))}
    </dl>
  )
}
