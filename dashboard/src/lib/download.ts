/** Downloads a list as a file, and reports the progress. */
import { ApiError, readRefusal } from './api-error.ts'
import { unreached } from './ask-service.ts'

const newline = 10

export interface Download {
  readonly path: string
  readonly name: string
  readonly onRows: (rows: number) => void
  readonly signal: AbortSignal
}

/** Resolves with the number of rows, without the header. */
export async function downloadCsv({ path, name, onRows, signal }: Download): Promise<number> {
  const parts: Uint8Array<ArrayBuffer>[] = []
  let lines = 0
  try {
    const response = await fetch(path, { headers: { accept: 'text/csv' }, signal })
    if (!response.ok || !response.body) throw await readRefusal(response)
    const reader = response.body.getReader()
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      parts.push(next.value)
      lines += next.value.reduce((sum, byte) => sum + (byte === newline ? 1 : 0), 0)
      onRows(Math.max(0, lines - 1))
    }
  } catch (error) {
    throw error instanceof ApiError ? error : unreached()
  }
  save(new Blob(parts, { type: 'text/csv' }), name)
  return Math.max(0, lines - 1)
}

export function save(file: Blob, name: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(file)
  link.download = name
  link.click()
  URL.revokeObjectURL(link.href)
}
