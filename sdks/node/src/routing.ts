import { isPreview } from './answers.ts'
import { assertFields } from './fields.ts'
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
    preview: async (request, options = {}) => {
      assertFields('The request', request, ['recipient', 'clientIp'])
      return call({
        method: 'POST',
        path: '/routing/preview',
        body: { recipient: recipientOf(request.recipient), client_ip: request.clientIp },
        isRepeatable: true,
        isAnswer: isPreview,
        options,
      })
    },
  }
}
