import type { ListedEventStatus } from '@countersign/contract'
import type { Tone } from '#lib/format.ts'
import { Status } from './badge.tsx'

export const eventStatusLabels: Readonly<Record<ListedEventStatus, readonly [label: string, tone: Tone]>> = {
  waiting: ['Waiting', 'busy'],
  held: ['Held', 'warn'],
  sending: ['Sending', 'busy'],
  delivered: ['Delivered', 'good'],
  failed: ['Failed', 'bad'],
  expired: ['Expired', 'bad'],
  skipped: ['Skipped', 'quiet'],
}

export function EventState({ status }: { readonly status: ListedEventStatus }) {
  const [label, tone] = eventStatusLabels[status]
  return <Status tone={tone}>{label}</Status>
}
