/** Structured lines on standard output. Each field that is logged is chosen by hand; no object is logged whole. */
import { pino } from 'pino'
import { codeOf } from './error-code.ts'

export type LogLevel = 'debug' | 'info' | 'warn' | 'error'
export type LogFields = Readonly<Record<string, string | number | boolean | null>>
export type Log = (level: LogLevel, message: string, fields?: LogFields) => void

/**
 * Logs that recurring work has failed. While the whole database is away, that is logged once elsewhere, and these lines
 * appear only with `LOG_LEVEL=debug`.
 */
export type Warn = (message: string, error: unknown, fields?: LogFields) => void

/** How many bytes of lines are buffered while nobody reads the output; further lines are dropped. */
const maxWaitingBytes = 1_048_576

/** `pid` is for several processes that write to the same output. */
export function createLog(level: string, pid: number | null = null): Log {
  const output = pino.destination({ dest: 1, maxLength: maxWaitingBytes })
  let isTaken = true
  // A terminal that was closed takes no more lines; that must not end the process before it has stopped properly.
  output.on('error', () => {
    isTaken = false
  })
  output.on('write', () => {
    isTaken = true
  })
  // At exit pino writes what is buffered; on a full disk it would retry for ever and keep the process from ending.
  const writeRest = output.flushSync.bind(output)
  output.flushSync = () => {
    if (isTaken) writeRest()
  }
  const logger = pino(
    { level, base: pid === null ? null : { pid }, timestamp: pino.stdTimeFunctions.isoTime },
    output,
  )
  return (lineLevel, message, fields = {}) => logger[lineLevel](fields, message)
}

/** The stack of an error without its message, which may contain values: files and lines say enough. */
export function describeError(error: unknown): LogFields {
  if (!(error instanceof Error)) return { error: typeof error }
  const code = codeOf(error)
  const frames = error.stack?.split('\n').filter((line) => line.trimStart().startsWith('at ')) ?? []
  return { error: error.name, code, stack: frames.slice(0, 8).join('\n') }
}
