/** Which values of a body the audit trail may show: those that the operation declares, and no secret. */
import type { Operation } from '@countersign/contract'
import { parseRecipient } from '../domain/guard/index.ts'
import { notRecorded } from '../domain/members/index.ts'

const mostFields = 100

export function changesOf(operation: Operation, body: unknown): Record<string, unknown> {
  return shownFields(body, (field, value) => shown(operation, field, value))
}

function shownFields(
  fields: unknown,
  show: (field: string, value: unknown) => unknown,
): Record<string, unknown> {
  if (typeof fields !== 'object' || fields === null || Array.isArray(fields)) return {}
  return Object.fromEntries(
    Object.entries(fields)
      .slice(0, mostFields)
      .map(([field, value]) => [field.slice(0, 64), show(field, value)]),
  )
}

function shown(
  { recorded = [], masked = [], hosts = [] }: Operation,
  field: string,
  value: unknown,
): unknown {
  if (recorded.includes(field)) return value
  if (masked.includes(field)) return maskOf(value) ?? notRecorded
  if (!hosts.includes(field)) return notRecorded
  return typeof value === 'string' ? withoutSecrets(value) : shownFields(value, hostOf)
}

const maskOf = (value: unknown): string | null =>
  typeof value === 'string' ? (parseRecipient(value.trim())?.masked ?? null) : null

/** Shows, of a provider's settings, only the host that its messages and credentials go to. */
function hostOf(field: string, value: unknown): unknown {
  if ((field === 'host' && typeof value === 'string') || (field === 'port' && typeof value === 'number')) {
    return typeof value === 'string' ? value.slice(0, 300) : value
  }
  return /(^|_)url$/.test(field) && typeof value === 'string' ? withoutSecrets(value) : notRecorded
}

/** Secrets of a URL may be in the user, password, query and fragment. */
function withoutSecrets(text: string): string {
  if (!URL.canParse(text)) return notRecorded
  const url = new URL(text)
  return url.protocol === 'https:' || url.protocol === 'http:' ? `${url.origin}${url.pathname}` : notRecorded
}
