/** A list as a CSV file for spreadsheets: read page by page as fast as the client reads, up to a bound. */
import { Readable } from 'node:stream'
import { AppError, type Operation } from '@countersign/contract'
import { Tally } from '../platform/tally.ts'

type Csv = NonNullable<Operation['csv']>
/** Reads the page after a cursor, or the first page for null. */
export type ReadListPage = (cursor: string | null) => Promise<unknown>

export const mostCsvRows = 100_000
export const csvPageRows = 1_000
/**
 * How many files are made at once on one node, so that exports use few connections, and for one company, so that none
 * takes them all.
 */
const mostAtOnce = 8
const mostOfOne = 2
/** How long a page waits for its reader, who occupies a slot meanwhile. */
const patienceMs = 30_000

export class Exports {
  readonly #patienceMs: number
  readonly #ofOne = new Tally()
  #running = 0

  constructor(patience = patienceMs) {
    this.#patienceMs = patience
  }

  /**
   * `who` is counted: a company, or the caller if the list belongs to no company. The first page is read before
   * anything is sent, so that a refusal is answered as an error.
   */
  async start(csv: Csv, who: string, read: ReadListPage): Promise<Readable> {
    this.#take(who)
    try {
      return this.#send(csv, who, await read(null), read)
    } catch (error) {
      this.#count(who, -1)
      throw error
    }
  }

  /** Counts before the first `await`, so that simultaneous calls do not get more slots than there are. */
  #take(who: string): void {
    if (this.#running >= mostAtOnce || this.#ofOne.of(who) >= mostOfOne) {
      throw new AppError('UnavailableError', 'Too many files are being made. Try again shortly.', {
        retry_after: 5,
      })
    }
    this.#count(who, 1)
  }

  #count(who: string, change: 1 | -1): void {
    this.#running += change
    this.#ofOne.add(who, change)
  }

  #send(csv: Csv, who: string, first: unknown, read: ReadListPage): Readable {
    const file: Readable = Readable.from(linesOf(csv, first, read, () => left.refresh()))
    // Ends as an error, since the part that was sent must not look like the whole file.
    const left = setTimeout(() => file.destroy(new Error('nobody reads the file')), this.#patienceMs)
    file.once('close', () => {
      clearTimeout(left)
      this.#count(who, -1)
    })
    // The sender handles the error too, but an error event without a listener would end the process.
    return file.on('error', () => {})
  }
}

/** `onTaken` is called when the reader asks for more. */
async function* linesOf(
  csv: Csv,
  first: unknown,
  read: ReadListPage,
  onTaken: () => void,
): AsyncGenerator<string> {
  yield lineOf(csv.columns)
  let page = pageIn(csv, first)
  let left = mostCsvRows
  for (;;) {
    onTaken()
    const rows = page.rows.slice(0, left)
    left -= rows.length
    if (rows.length > 0) yield rows.map((row) => lineOf(csv.columns.map((name) => row[name]))).join('')
    if (page.cursor === null || left === 0) return
    page = pageIn(csv, await read(page.cursor))
  }
}

interface ListPage {
  readonly rows: readonly Readonly<Record<string, unknown>>[]
  readonly cursor: string | null
}

function pageIn({ rows: name, rowsOf }: Csv, answer: unknown): ListPage {
  if (rowsOf) return { rows: rowsOf(answer), cursor: null }
  const { [name]: rows, next_cursor: cursor } = Object(answer)
  return { rows: Array.isArray(rows) ? rows : [], cursor: typeof cursor === 'string' ? cursor : null }
}

/** One line in the format of RFC 4180. */
const lineOf = (values: readonly unknown[]) => `${values.map(cellOf).join(',')}\r\n`

export function cellOf(value: unknown): string {
  const text = harmless(textOf(value))
  return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

const isNumber = /^-?\d+(?:\.\d+)?$/

/**
 * A spreadsheet takes text that begins with one of these for a formula, some also in full width; an apostrophe makes it
 * plain text.
 */
const harmless = (text: string) =>
  /^[=+\-@＝＋－＠\t\r\n]/.test(text) && !isNumber.test(text) ? `'${text}` : text

/** Only if CSV is named: a browser that accepts anything gets JSON. */
export const asksForCsv = (accept: string | undefined): boolean =>
  (accept ?? '').split(',').some((part) => part.split(';')[0]?.trim().toLowerCase() === 'text/csv')
