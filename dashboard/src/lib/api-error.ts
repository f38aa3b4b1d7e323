import { isMissingPart } from './missing-part.ts'

/** An error of the service as pages need it. */
export interface FieldProblem {
  readonly path: string
  readonly message: string
}

export class ApiError extends Error {
  /** 0 when there was no answer. */
  readonly status: number
  readonly type: string
  readonly details: Readonly<Record<string, unknown>>
  readonly requestId: string | null

  constructor(
    status: number,
    type: string,
    message: string,
    details: Readonly<Record<string, unknown>> = {},
    requestId: string | null = null,
  ) {
    super(message)
    this.status = status
    this.type = type
    this.details = details
    this.requestId = requestId
  }

  get fields(): readonly FieldProblem[] {
    const { fields } = this.details
    return Array.isArray(fields) ? fields.filter(isFieldProblem) : []
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isFieldProblem = (value: unknown): value is FieldProblem =>
  isObject(value) && typeof value.path === 'string' && typeof value.message === 'string'

/** The service always gives a reason. An answer without one mostly comes from a proxy that cannot reach it. */
const sayStatus = (status: number) =>
  status >= 500
    ? `The service cannot be reached now (${status}). Try again in a moment.`
    : `The service answered ${status}.`

export async function readRefusal(answer: Response): Promise<ApiError> {
  const body: unknown = await answer.json().catch(() => null)
  const header = answer.headers.get('x-request-id')
  if (!isObject(body) || !isObject(body.error)) {
    return new ApiError(answer.status, 'HTTPException', sayStatus(answer.status), {}, header)
  }
  const { type, message, details } = body.error
  return new ApiError(
    answer.status,
    String(type),
    String(message),
    isObject(details) ? details : {},
    typeof body.request_id === 'string' ? body.request_id : header,
  )
}

export const isNotFound = (error: unknown): boolean => error instanceof ApiError && error.status === 404
export const isSignedOut = (error: unknown): boolean => error instanceof ApiError && error.status === 401

/** What is wrong with a field, or with anything inside it. */
export function problemAt(error: unknown, path: string): string | undefined {
  if (!(error instanceof ApiError)) return undefined
  return error.fields.find((field) => field.path === path || field.path.startsWith(`${path}.`))?.message
}

/** The service writes `must be …`; beside a field this becomes a sentence. */
export const asSentence = (message: string): string =>
  withFullStop(message.charAt(0).toUpperCase() + message.slice(1))

export const withFullStop = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`)

export function messageOf(error: unknown): string {
  if (error instanceof ApiError) return asSentence(error.message)
  return isMissingPart(error)
    ? 'A part of this page could not be loaded. Check your connection and try again.'
    : 'Something went wrong on this page.'
}

/** A call that got no answer, or a 502, 503 or 504, is worth another try; a refusal is not. */
export const isUnanswered = (error: unknown): error is ApiError =>
  error instanceof ApiError && (error.status === 0 || error.status >= 502)

/** Whether to ask again by itself. Not after a call that took as long as anybody waits. */
export const isWorthRetrying = (error: unknown): boolean =>
  isUnanswered(error) && error.type !== 'TimeoutError'
