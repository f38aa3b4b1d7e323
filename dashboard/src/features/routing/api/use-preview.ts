import type { AppAnswer } from '@countersign/contract'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { Wanted } from '#components/recipient/wanted.ts'
import { type AnswerOf, call } from '#lib/client.ts'

export type Preview = AnswerOf<'previewSend'>

/** What a send would do now. The recipient is sent in a body, and not kept once the page is left. */
export function usePreview(app: AppAnswer, { recipient, country }: Wanted, clientIp: string) {
  return useQuery({
    queryKey: ['previewSend', app.app_id, recipient, country, clientIp, app.routing, app.channels],
    queryFn: ({ signal }) =>
      call(
        'previewSend',
        {
          params: { app_id: app.app_id },
          body: { recipient, ...(country ? { country } : {}), ...(clientIp ? { client_ip: clientIp } : {}) },
        },
        { signal },
      ),
    enabled: recipient !== '',
    placeholderData: keepPreviousData,
    staleTime: 0,
    gcTime: 0,
  })
}
