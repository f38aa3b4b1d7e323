import type { AppAnswer } from '@countersign/contract'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type AnswerOf, call } from '#lib/client.ts'

export type Preview = AnswerOf<'previewSend'>

/** Numbers are pasted with spaces, dashes and brackets; the service takes none. */
export const tidyRecipient = (text: string): string =>
  text.includes('@') ? text.trim() : text.replace(/[\s().-]/g, '')

/** What a send would do now. The recipient travels in a body and is forgotten with the page. */
export function usePreview(app: AppAnswer, recipient: string, clientIp: string) {
  return useQuery({
    queryKey: ['previewSend', app.app_id, recipient, clientIp, app.routing, app.channels],
    queryFn: ({ signal }) =>
      call(
        'previewSend',
        { params: { app_id: app.app_id }, body: { recipient, ...(clientIp ? { client_ip: clientIp } : {}) } },
        signal,
      ),
    enabled: recipient !== '',
    placeholderData: keepPreviousData,
    staleTime: 0,
    gcTime: 0,
  })
}
