/** A list as a file for spreadsheets: page after page, as the reader takes it, up to a bound. */
import { AppError, type Operation } from '@countersign/contract'

type Csv = NonNullable<Operation['csv']>
/** The page behind a cursor; null: the first. */
export type ReadListPage = (cursor: string | null) => Promise<unknown>

export const mostCsvRows = 100_000
export const csvPageRows = 1_000
/** On one node, so that exports take few of its connections. */
const mostAtOnce = 4

export class Exports {
  #running = 0

  /** The first page is read before anything is answered, so that what is refused is refused as everywhere. */
  async start(csv: Csv, read: ReadListPage): Promise<AsyncGenerator<string>> {
    if (this.#running >= mostAtOnce) {
      throw new AppError('UnavailableError', 'Too many files are being made. Try again shortly.', {
        retry_after: 5,
      })
    }
    return this.#lines(csv, await read(null), read)
  }

  /** Counted from its first line on: one that nobody begins to read never ends either. */
  async *#lines(csv: Csv, first: unknown, read: ReadListPage): AsyncGenerator<string> {
    this.#running++
    try {
      yield lineOf(csv.columns)
      let page = pageIn(csv, first)
      let left = mostCsvRows
      for (;;) {
        const rows = page.rows.slice(0, left)
        left -= rows.length
        if (rows.length > 0) yield rows.map((row) => lineOf(csv.columns.map((name) => row[name]))).join('')
        if (page.cursor === null || left === 0) return
        page = pageIn(csv, await read(page.cursor))
      }
    } finally {
      this.#running--
    }
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

/** RFC 4180. */
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

/** A spreadsheet takes what begins with one of these for a formula; an apostrophe makes it text. */
const harmless = (text: string) => (/^[=+\-@\t\r]/.test(text) && !isNumber.test(text) ? `'${text}` : text)

/** Only who asks for it by name: a browser that takes anything gets JSON. */
export const asksForCsv = (accept: string | undefined): boolean =>
  (accept ?? '').split(',').some((part) => part.split(';')[0]?.trim().toLowerCase() === 'text/csv')
