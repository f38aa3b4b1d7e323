/** Decides what a gateway's answer means: by its code, its text, its status, or the default. */
import type { FoundAt } from '@countersign/contract'
import type { HttpResponse } from '../../platform/http-client.ts'
import type { ProviderError, SendOutcome } from '../channel.ts'
import { retryAfterSeconds, statusOutcome } from '../http-outcome.ts'
import { providerError } from '../provider-error.ts'
import { findFirst, type ParsedAnswer, parseAnswer } from './find.ts'
import { compileFoundAt } from './found-at.ts'
import type { Gateway, GatewayOutcome } from './settings.ts'
import { createTable, type Table } from './table.ts'

/** Used if a gateway says that it is busy, but not for how long. */
const BUSY_SECONDS = 5
const MAX_MESSAGE_ID_LENGTH = 200
const MAX_CODE_LENGTH = 200

export interface AnswerReader {
  readonly messageIdAt: readonly FoundAt[]
  readonly codeAt: readonly FoundAt[]
  readonly errorAt: readonly FoundAt[]
  readonly codes: Table<GatewayOutcome>
  readonly texts: Table<GatewayOutcome>
  readonly statuses: Table<GatewayOutcome>
  /** Whether the settings describe an accepted answer: then a 2xx alone is no acceptance. */
  readonly tellsAccepted: boolean
}

export function compileAnswer(gateway: Gateway): AnswerReader {
  const { codes, texts, statuses } = gateway
  return {
    messageIdAt: compileFoundAt(gateway.message_id_at),
    codeAt: compileFoundAt(gateway.code_at),
    errorAt: compileFoundAt(gateway.error_at),
    codes: createTable(codes),
    texts: createTable(texts),
    statuses: createTable(statuses),
    tellsAccepted: [codes, texts, statuses].some((rows) => Object.values(rows ?? {}).includes('accepted')),
  }
}

export function readAnswer(reader: AnswerReader, response: HttpResponse): SendOutcome {
  const parsed = parseAnswer(response.body, response.headers)
  const code = findFirst(reader.codeAt, parsed)?.slice(0, MAX_CODE_LENGTH) ?? null
  const known =
    (code === null ? undefined : reader.codes.find(code)) ?? meaningBeyondCode(reader, response, parsed)
  const words = findFirst(reader.errorAt, parsed) ?? `The gateway answered ${response.status}.`
  if (known === 'accepted') return accepted(reader, parsed)
  if (known === undefined && response.status >= 200 && response.status < 300 && !reader.tellsAccepted) {
    // A page that asks people to sign in, or the proxy's own, is a 2xx too.
    const hasId = reader.messageIdAt.length === 0 || findFirst(reader.messageIdAt, parsed) !== null
    if (hasId || !isPage(response)) return accepted(reader, parsed)
    return statusOutcome(response, `The gateway answered ${response.status} with a page for people.`)
  }
  if (known === undefined) return statusOutcome(response, words, code ?? undefined)
  return outcomeOf(known, providerError(code ?? `http_${response.status}`, words), response)
}

const isPage = ({ headers }: HttpResponse): boolean => /\bhtml\b/i.test(headers['content-type'] ?? '')

function meaningBeyondCode(
  { texts, statuses }: AnswerReader,
  { status }: HttpResponse,
  { text }: ParsedAnswer,
): GatewayOutcome | undefined {
  return (
    texts.find(text.trim()) ?? statuses.find(String(status)) ?? statuses.find(`${Math.floor(status / 100)}xx`)
  )
}

function accepted({ messageIdAt }: AnswerReader, parsed: ParsedAnswer): SendOutcome {
  const found = findFirst(messageIdAt, parsed)
  return {
    kind: 'accepted',
    messageId: found !== null && found.length <= MAX_MESSAGE_ID_LENGTH ? found : null,
  }
}

function outcomeOf(
  kind: Exclude<GatewayOutcome, 'accepted'>,
  error: ProviderError,
  response: HttpResponse,
): SendOutcome {
  if (kind === 'retry') return { kind, error, afterSeconds: retryAfterSeconds(response) }
  if (kind === 'busy')
    return { kind: 'retry', error, afterSeconds: retryAfterSeconds(response) ?? BUSY_SECONDS }
  return { kind, error }
}
