import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { Wanted } from '#components/recipient/wanted.ts'
import { call } from '#lib/client.ts'

/** Turns a recipient as people write it into the form that a send takes; null if the service cannot read it. */
export async function readRecipient(
  appId: string,
  { recipient, country }: Wanted,
  signal?: AbortSignal,
): Promise<string | null> {
  const body = { recipient, ...(country ? { country } : {}) }
  return (await call('previewSend', { params: { app_id: appId }, body }, signal)).recipient
}

/** The recipient is sent in a body, and not kept once the page is left. */
export const useRecipientAsSent = (appId: string, { recipient, country }: Wanted) =>
  useQuery({
    queryKey: ['recipient as sent', appId, recipient, country],
    queryFn: ({ signal }) => readRecipient(appId, { recipient, country }, signal),
    enabled: recipient.trim() !== '',
    placeholderData: keepPreviousData,
    gcTime: 0,
  }).data ?? null
