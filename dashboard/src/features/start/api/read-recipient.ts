import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { Wanted } from '#components/recipient/wanted.ts'
import { call } from '#lib/client.ts'
import { useDebounced } from '#lib/use-debounced.ts'

/** Reads a recipient as people write it, and asks what a send to it would do. */
export async function readRecipient(appId: string, { recipient, country }: Wanted, signal?: AbortSignal) {
  const body = { recipient, ...(country ? { country } : {}) }
  return call('previewSend', { params: { app_id: appId }, body }, { signal })
}

const quietMs = 350
/** No recipient is shorter. */
const shortest = 6

/** `unknown` until the service has answered, and for a send that it would refuse. */
export type Carrier = 'simulator' | 'real' | 'unknown'

interface Reading {
  /** In the form that a send takes; null if the service cannot read it. While it is being read, the one before. */
  readonly recipient: string | null
  /** Who would carry the message. */
  readonly carrier: Carrier
}

/** The recipient is sent in a body, and not kept once the page is left. */
export function useReading(appId: string, wanted: Wanted): Reading {
  const asked = useDebounced(wanted, quietMs)
  const { recipient, country } = asked
  const isAsked = recipient.trim().length >= shortest
  const { data, isPlaceholderData } = useQuery({
    queryKey: ['recipient as sent', appId, recipient, country],
    queryFn: ({ signal }) => readRecipient(appId, asked, signal),
    enabled: isAsked,
    placeholderData: keepPreviousData,
    gcTime: 0,
  })
  const answer = isAsked ? data : undefined
  const isCurrent = asked === wanted && !isPlaceholderData
  return {
    recipient: answer?.recipient ?? null,
    carrier: carrierOf(isCurrent ? answer?.is_simulated : null),
  }
}

function carrierOf(isSimulated: boolean | null | undefined): Carrier {
  if (isSimulated === null || isSimulated === undefined) return 'unknown'
  return isSimulated ? 'simulator' : 'real'
}
