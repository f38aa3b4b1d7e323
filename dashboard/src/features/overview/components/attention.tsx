import type { AttentionAnswer } from '@countersign/contract'
import { Link } from '@tanstack/react-router'
import CircleAlert from 'lucide-react/icons/circle-alert'
import TriangleAlert from 'lucide-react/icons/triangle-alert'
import { textLink } from '#components/ui/text-link.tsx'
import { Time } from '#components/ui/values.tsx'
import { useApp } from '#lib/app.ts'
import { useAttention } from '../api/attention.ts'

type Item = AttentionAnswer['items'][number]

/** What somebody should look at now; nothing is drawn while all is well. */
export function Attention({ appId }: { readonly appId: string }) {
  const items = useAttention(appId).data?.items ?? []
  if (items.length === 0) return null
  return (
    <section aria-label="Needs attention" className="overflow-hidden rounded-lg border bg-surface">
      <h2 className="sr-only">Needs attention</h2>
      <ul>
        {items.map((item) => (
          <li
            key={`${item.kind} ${item.message}`}
            className="flex flex-wrap items-center gap-x-3 gap-y-1 border-b px-4 py-2.5 text-sm last:border-b-0"
          >
            <Mark severity={item.severity} />
            <span className="min-w-0 flex-1 basis-64">{item.message}</span>
            {item.since && (
              <span className="text-xs text-faint">
                <Time value={item.since} />
              </span>
            )}
            <Remedy item={item} appId={appId} />
          </li>
        ))}
      </ul>
    </section>
  )
}

const Mark = ({ severity }: { readonly severity: Item['severity'] }) =>
  severity === 'critical' ? (
    <CircleAlert className="size-4 shrink-0 text-bad" role="img" aria-label="Critical" />
  ) : (
    <TriangleAlert className="size-4 shrink-0 text-warn" role="img" aria-label="Warning" />
  )

const remedies = {
  webhook_paused: ['/a/$appId/webhooks', 'Open the endpoint'],
  low_balance: ['/c/$companyId/billing', 'Open billing'],
  spend_cap: ['/a/$appId/guard', 'Open the spend caps', 'spend'],
  failing_provider: ['/a/$appId/channels', 'Open channels'],
  conversion_drop: ['/a/$appId/verifications', 'View verifications'],
  no_messages_delivered: ['/a/$appId/verifications', 'View verifications'],
  wrong_codes: ['/a/$appId/verifications', 'View verifications'],
  pumping_blocks: ['/a/$appId/guard', 'View the blocks'],
  pumping_learning: ['/a/$appId/guard', 'View what it would hold back'],
  pumping_misfit: ['/a/$appId/guard', 'Open the guard'],
  ip_source: ['/a/$appId/guard', 'View the lists', 'addresses'],
} as const satisfies Record<
  Exclude<Item['kind'], OperatorsKind>,
  readonly [to: string, text: string, tab?: string]
>

/** Problems that only the operator can do something about. */
type OperatorsKind = 'partitions_short' | 'canary_failed'

function Remedy({ item, appId }: { readonly item: Item; readonly appId: string }) {
  const { company_id } = useApp(appId)
  if (item.kind === 'partitions_short' || item.kind === 'canary_failed') return null
  const [to, text, tab] = remedies[item.kind]
  return (
    <Link to={to} params={{ appId, companyId: company_id }} search={{ tab }} className={textLink}>
      {text}
    </Link>
  )
}
