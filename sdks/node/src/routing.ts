import { isPreview } from './answers.ts'
import type { CallOptions, Transport } from './transport.ts'
import type { Preview } from './types.ts'
import { recipientOf } from './written.ts'

export interface PreviewRequest {
  recipient: string
  clientIp?: string | undefined
}

export interface Routing {
  /** What a send would do now. Nothing is sent, counted or charged. */
  preview(request: PreviewRequest, options?: CallOptions): Promise<Preview>
}

export function createRouting(call: Transport): Routing {
  return {
    preview: async ({ recipient, clientIp }, options = {}) =>
      call({
        method: 'POST',
        path: '/routing/preview',
        body: { recipient: recipientOf(recipient), client_ip: clientIp },
        isRepeatable: true,
        isAnswer: isPreview,
        options,
      }),
  }
}
