/** Receipts as the account's settings describe them: who may send them, and where each value is found. */
import type { FoundAt, ReceiptState } from '@countersign/contract'
import type { CallbackRequest, CallbackResult, Receipt } from '../channel.ts'
import { providerError } from '../provider-error.ts'
import { type Authenticate, authenticateBy } from './authenticate.ts'
import { findFirst, type ParsedAnswer, parseAnswer, valueAt } from './find.ts'
import { compileFoundAt } from './found-at.ts'
import type { Gateway } from './settings.ts'
import { createTable, type Table } from './table.ts'

const MAX_WORD_LENGTH = 200
/** More than any gateway sends at once; the rest of a longer list is ignored. */
const MAX_REPORTS = 1_000

export interface ReceiptReader {
  readonly isGateway: Authenticate
  readonly list: readonly string[]
  readonly idAt: readonly FoundAt[]
  readonly deliveryAt: readonly FoundAt[]
  readonly stateAt: readonly FoundAt[]
  readonly errorAt: readonly FoundAt[]
  readonly states: Table<ReceiptState>
  readonly errors: Table<'failed' | 'unreachable'>
}

/** Null if the gateway sends no receipts. */
export function compileReceipts(gateway: Gateway): ReceiptReader | null {
  if (gateway.receipts === 'none') return null
  const [list] = compileFoundAt(gateway.receipt_list === '' ? [] : [gateway.receipt_list])
  return {
    isGateway: authenticateBy(gateway),
    list: list?.kind === 'pointer' ? list.steps : [],
    idAt: compileFoundAt(gateway.receipt_id_at),
    deliveryAt: compileFoundAt(gateway.receipt_delivery_at),
    stateAt: compileFoundAt(gateway.receipt_state_at),
    errorAt: compileFoundAt(gateway.receipt_error_at),
    states: createTable(gateway.receipt_states),
    errors: createTable(gateway.receipt_errors),
  }
}

export function parseCallback(reader: ReceiptReader, request: CallbackRequest): CallbackResult {
  if (request.method !== 'POST') return { kind: 'rejected', reason: 'method' }
  if (!reader.isGateway(request)) return { kind: 'rejected', reason: 'authentication' }
  const parsed = parseAnswer(request.body, request.headers, request.query)
  const receipts = reportsIn(reader, parsed).flatMap((report) => receiptOf(reader, report))
  return { kind: 'accepted', receipts, inbound: [] }
}

/** One report, or as many as the list has. */
function reportsIn({ list }: ReceiptReader, parsed: ParsedAnswer): readonly ParsedAnswer[] {
  const value = valueAt(list, parsed.value)
  if (!Array.isArray(value)) return list.length === 0 ? [parsed] : []
  return value.slice(0, MAX_REPORTS).map((report: unknown) => ({ ...parsed, value: report }))
}

function receiptOf(reader: ReceiptReader, parsed: ParsedAnswer): Receipt[] {
  const messageId = wordAt(reader.idAt, parsed)
  const deliveryId = wordAt(reader.deliveryAt, parsed)
  const state = wordAt(reader.stateAt, parsed)
  if ((messageId === null && deliveryId === null) || state === null) return []
  const meaning = reader.states.find(state)
  if (meaning === undefined || meaning === 'ignored') return []
  const names = { messageId, deliveryId }
  if (meaning === 'delivered') return [{ ...names, status: 'delivered', error: null, unreachable: false }]
  const code = wordAt(reader.errorAt, parsed)
  const unreachable = (code === null ? undefined : reader.errors.find(code)) ?? meaning
  const error = providerError(code ?? state, `The gateway reports the message as ${state}.`)
  return [{ ...names, status: 'failed', error, unreachable: unreachable === 'unreachable' }]
}

function wordAt(foundAt: readonly FoundAt[], parsed: ParsedAnswer): string | null {
  const found = findFirst(foundAt, parsed)
  return found !== null && found.length <= MAX_WORD_LENGTH ? found : null
}
