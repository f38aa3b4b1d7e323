/** What is kept of an error that a caller with a key got: nothing that the caller typed. */
import { type AppError, errorCatalogue, type Operation } from '@countersign/contract'
import type { FastifyRequest } from 'fastify'
import type { CallError } from '../domain/insight/index.ts'
import type { Principal } from '../domain/tenancy/index.ts'

/** What the caller was told, and at which endpoint. */
export type ErrorRecord = Pick<CallError, 'endpoint' | 'status' | 'type' | 'message' | 'details'>

/** A call whose key is known, whether it succeeds or not. */
export interface KnownCall {
  readonly principal: Principal
  /** The id of the verification that it was about; set only if traces are on. */
  otpId?: string
  readonly recordOf: (error: AppError) => ErrorRecord
}
export type KnownCalls = WeakMap<FastifyRequest, KnownCall>

const longestMessage = 500
/** Details that only the service sets; all others are left out. */
const shownDetails = ['scope', 'retry_after', 'otp_status', 'rule', 'country', 'price', 'limit'] as const
const mostFields = 20

export const callErrorOf = (
  { principal, recordOf }: KnownCall,
  error: AppError,
  requestId: string,
): Omit<CallError, 'atMs'> => ({
  companyId: principal.app.companyId,
  appId: principal.app.appId,
  keyId: principal.keyId,
  ...recordOf(error),
  requestId,
})

/** The details of an error as they may be shown. */
export const shownDetailsOf = ({ details }: AppError): CallError['details'] =>
  Object.fromEntries(shownDetails.flatMap((name) => (name in details ? [[name, details[name]]] : [])))

export function errorRecordOf(operation: Operation, error: AppError): ErrorRecord {
  const { status, type } = errorCatalogue[error.errorName]
  const fields = fieldsOf(operation, error.details.fields)
  const details = shownDetailsOf(error)
  return {
    endpoint: `${operation.method} ${operation.path}`,
    status,
    type,
    message: messageOf(error, fields).slice(0, longestMessage),
    details: fields ? { ...details, fields } : details,
  }
}

interface Field {
  readonly path: string
  readonly message: string
}

/** The name of an unknown field is the caller's own text, so it is not kept. */
const unknownName = '(unknown field)'

function fieldsOf({ body }: Operation, fields: unknown): Field[] | null {
  if (!Array.isArray(fields)) return null
  const declared = new Set(['', ...(body && 'shape' in body ? Object.keys(Object(body.shape)) : [])])
  return fields.slice(0, mostFields).map((field: Field) => ({
    path: declared.has(field.path) ? field.path : unknownName,
    message: field.message,
  }))
}

/** The message of a wrong body repeats names of fields, so it is made again without unknown ones. */
function messageOf({ message }: AppError, fields: readonly Field[] | null): string {
  if (!fields || fields.length === 0) return fields ? 'The request is not valid.' : message
  return `The request is not valid. ${fields.map(({ path, message: why }) => `${path || 'body'}: ${why}`).join('; ')}`
}
