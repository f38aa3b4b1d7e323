/**
 * Finds the message/delivery-status part of a mail (RFC 2046, RFC 3464). Every line is read once and only that part is
 * kept: general mail parsers take seconds for a quarter of a megabyte of empty lines.
 */

const REPORT_TYPES = new Set(['message/delivery-status', 'message/global-delivery-status'])
const MAX_NESTING_DEPTH = 8
const MAX_REPORT_LENGTH = 16 * 1024
const MAX_HEADERS_LENGTH = 8 * 1024
/** The limit of RFC 2046 §5.1.1. */
const MAX_BOUNDARY_LENGTH = 70

type Headers = ReadonlyMap<string, string>
type State = 'headers' | 'report' | 'skipped'

/** Null if there is no such part. */
export function findReportPart(mail: Buffer): string | null {
  const reader = new PartReader()
  // One character for each byte: the encoding of the part is known only where it begins.
  const text = mail.toString('latin1')
  for (let from = 0; from < text.length && !reader.isDone; ) {
    const newline = text.indexOf('\n', from)
    const end = newline === -1 ? text.length : newline
    reader.take(text.slice(from, text[end - 1] === '\r' ? end - 1 : end))
    from = end + 1
  }
  return reader.report
}

class PartReader {
  readonly #boundaries: string[] = []
  readonly #headerLines: string[] = []
  readonly #reportLines: string[] = []
  #length = 0
  #state: State = 'headers'
  #encoding = ''
  #hasReport = false
  isDone = false

  get report(): string | null {
    return this.#hasReport ? decode(this.#reportLines.join('\n'), this.#encoding) : null
  }

  take(line: string): void {
    if (line.startsWith('--') && this.#crossBoundary(line.trimEnd())) return
    if (this.#state === 'skipped') return
    if (this.#state === 'headers' && line.trim() === '') this.#enterContent()
    else if (this.#state === 'headers') this.#keep(this.#headerLines, line, MAX_HEADERS_LENGTH)
    else this.#keep(this.#reportLines, line, MAX_REPORT_LENGTH)
  }

  #keep(lines: string[], line: string, maxLength: number): void {
    // The newline counts too, or empty lines would not count at all.
    this.#length += line.length + 1
    if (this.#length <= maxLength) lines.push(line)
  }

  /** A boundary of an outer part ends the inner ones, whether they were closed or not. */
  #crossBoundary(line: string): boolean {
    if (line.length > MAX_BOUNDARY_LENGTH + 4) return false
    const opensAt = this.#boundaries.lastIndexOf(line.slice(2))
    const closesAt = line.endsWith('--') ? this.#boundaries.lastIndexOf(line.slice(2, -2)) : -1
    if (opensAt === -1 && closesAt === -1) return false
    this.isDone = this.#hasReport
    this.#boundaries.length = opensAt === -1 ? closesAt : opensAt + 1
    this.#state = opensAt === -1 ? 'skipped' : 'headers'
    this.#headerLines.length = 0
    this.#length = 0
    return true
  }

  #enterContent(): void {
    const headers = readHeaders(this.#headerLines)
    const contentType = headers.get('content-type') ?? ''
    const type = contentType.split(';', 1)[0]?.trim().toLowerCase() ?? ''
    this.#length = 0
    this.#state = 'skipped'
    if (REPORT_TYPES.has(type)) {
      this.#hasReport = true
      this.#encoding = headers.get('content-transfer-encoding')?.toLowerCase() ?? ''
      this.#state = 'report'
    } else if (type.startsWith('multipart/') && this.#boundaries.length < MAX_NESTING_DEPTH) {
      const boundary = boundaryIn(contentType)
      if (boundary !== null) this.#boundaries.push(boundary)
    }
  }
}

/** Names are in lower case; if a field occurs twice, the first one counts. */
export function readHeaders(lines: readonly string[]): Headers {
  const fields: string[][] = []
  for (const line of lines) {
    if (line.startsWith(' ') || line.startsWith('\t')) fields.at(-1)?.push(line.trim())
    else fields.push([line])
  }
  const headers = new Map<string, string>()
  for (const field of fields) {
    const text = field.join(' ')
    const colon = text.indexOf(':')
    const name = text.slice(0, colon).trim().toLowerCase()
    if (colon > 0 && !headers.has(name)) headers.set(name, text.slice(colon + 1).trim())
  }
  return headers
}

/** RFC 2046 §5.1.1: a boundary contains neither a semicolon nor a quotation mark. */
function boundaryIn(contentType: string): string | null {
  for (const parameter of contentType.split(';').slice(1)) {
    const equals = parameter.indexOf('=')
    if (parameter.slice(0, equals).trim().toLowerCase() !== 'boundary') continue
    const boundary = parameter
      .slice(equals + 1)
      .replaceAll('"', '')
      .trim()
    return boundary === '' || boundary.length > MAX_BOUNDARY_LENGTH ? null : boundary
  }
  return null
}

function decode(text: string, encoding: string): string {
  if (encoding === 'base64') return Buffer.from(text, 'base64').toString('utf8')
  const bytes = encoding === 'quoted-printable' ? withoutQuotedPrintable(text) : text
  return Buffer.from(bytes, 'latin1').toString('utf8')
}

function withoutQuotedPrintable(text: string): string {
  return text
    .replaceAll('=\n', '')
    .replace(/=([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
}
