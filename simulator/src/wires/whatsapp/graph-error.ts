import { randomBytes } from 'node:crypto'
import { type Answer, json } from '../../http/answer.ts'

export interface GraphError {
  readonly status: number
  readonly code: number
  readonly title: string
  readonly details: string
}

export function graphError(status: number, code: number, title: string, details: string): GraphError {
  return { status, code, title, details }
}

export function toGraphAnswer(error: GraphError): Answer {
  return json(error.status, {
    error: {
      message: `(#${error.code}) ${error.title}`,
      type: 'OAuthException',
      code: error.code,
      error_data: { messaging_product: 'whatsapp', details: error.details },
      fbtrace_id: `A${randomBytes(11).toString('base64url')}`,
    },
  })
}
