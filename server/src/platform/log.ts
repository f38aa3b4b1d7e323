/** Structured lines on standard output. What is logged is chosen field by field; nothing is logged whole. */
import { pino } from 'pino'
import { codeOf } from './error-code.ts'

export type LogLevel = 'debug' | 'info' | 'warn' | 'error'
export type LogFields = Readonly<Record<string, string | number | boolean | null>>
export type Log = (level: LogLevel, message: string, fields?: LogFields) => void

/**
 * Says that work which comes again by itself has failed. Where the whole database is away, that is said once, and this
 * only with `LOG_LEVEL=debug`.
 */
export type Warn = (message: string, error: unknown, fields?: LogFields) => void

/** How many bytes of lines wait while nobody reads the output; further lines are dropped. */
const maxWaitingBytes = 1_048_576

/** `pid` where several processes write to one place. */
export function createLog(level: string, pid: number | null = null): Log {
  const output = pino.destination({ dest: 1, maxLength: maxWaitingBytes })
  let isTaken = true
  // A terminal that was closed takes no more lines; that must not end the process before it has stopped.
  output.on('error', () => {
    isTaken = false
  })
  output.on('write', () => {
    isTaken = true
  })
  // At an exit pino writes what waits; on a full disk it would try for ever and keep the process from ending.
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

/** A bug's stack, without the message's values: names of files and lines say enough. */
export function describeError(error: unknown): LogFields {
  if (!(error instanceof Error)) return { error: typeof error }
  const code = codeOf(error)
  const frames = error.stack?.split('\n').filter((line) => line.trimStart().startsWith('at ')) ?? []
  return { error: error.name, code, stack: frames.slice(0, 8).join('\n') }
}
