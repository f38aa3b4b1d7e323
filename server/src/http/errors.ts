/** The same error body everywhere. A refusal says what it is; any other error is a bug, and its answer says nothing. */
import { AppError, errorCatalogue } from '@countersign/contract'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { describeError, type Log } from '../platform/log.ts'
import { isTwilioUrl, twilioErrorOf } from './twilio/error-body.ts'

const defaultRetryAfterSeconds = 1

export function sendError(request: FastifyRequest, reply: FastifyReply, error: AppError): FastifyReply {
  const { status } = errorCatalogue[error.errorName]
  // Decided by the route, since a URL can be written in several ways.
  const isTwilio = isTwilioUrl(request.routeOptions.url ?? request.url)
  const twilio = isTwilio ? twilioErrorOf(error) : null
  const answered = twilio?.status ?? status
  if (status === 429 || status === 503 || answered === 429) reply.header('retry-after', retryAfterOf(error))
  // RFC 9110 §15.5.2 requires it; without it some clients treat the answer as malformed.
  if (answered === 401) reply.header('www-authenticate', isTwilio ? 'Basic realm="Countersign"' : 'Bearer')
  return reply.code(answered).send(twilio ?? errorBodyOf(error, request.id))
}

export const errorBodyOf = ({ errorName, message, details }: AppError, requestId: string) => ({
  error: { type: errorCatalogue[errorName].type, message, details },
  request_id: requestId,
})

const retryAfterOf = ({ details: { retry_after: seconds } }: AppError) =>
  typeof seconds === 'number' ? seconds : defaultRetryAfterSeconds

/** Errors of Fastify itself, as errors of this API. */
const fastifyRefusals: Readonly<Record<string, () => AppError>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: () => new AppError('BodyTooLarge', 'The body is larger than 64 KiB.'),
  FST_ERR_CTP_INVALID_MEDIA_TYPE: () =>
    new AppError('WrongContentType', 'Send JSON with content-type: application/json.'),
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: () =>
    new AppError('ValidationError', 'The body is not as long as content-length says.', { fields: [] }),
  FST_ERR_BAD_URL: () => new AppError('PathNotFound', 'There is nothing at this path.'),
}

export function refusalOf(error: unknown): AppError | undefined {
  if (error instanceof AppError) return error
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return fastifyRefusals[code]?.()
}

/** The caller disconnected before the whole request was here: nobody gets the answer, and it is not a bug. */
const isCutOff = (request: FastifyRequest, error: unknown) =>
  !request.raw.complete && error instanceof Error && 'code' in error && error.code === 'ECONNRESET'

const cutOff = () => new AppError('ValidationError', 'The call was cut off.', { fields: [] })

/** Called with every error of a call that has a route, before it is answered. */
export type OnError = (request: FastifyRequest, error: AppError) => void

export function createErrorHandler(log: Log, onError: OnError) {
  return (error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const refusal = isCutOff(request, error) ? cutOff() : refusalOf(error)
    if (refusal) {
      onError(request, refusal)
      return sendError(request, reply, refusal)
    }
    log('error', 'a request failed', {
      request_id: request.id,
      route: request.routeOptions.url ?? '',
      ...describeError(error),
    })
    const bug = new AppError(
      'InternalError',
      'Something went wrong on our side. The request id helps to find it.',
    )
    onError(request, bug)
    return sendError(request, reply, bug)
  }
}
