/** Twice a second, writes the errors that callers of this node got. A crash loses half a second of them. */
import { ErrorNotes, type NoteCallError, writeErrors } from '../domain/insight/index.ts'
import type { Clock } from '../platform/clock.ts'
import type { Database } from '../platform/database.ts'
import type { Log } from '../platform/log.ts'
import type { Loop } from '../platform/loop.ts'
import { oneAtATime } from '../platform/one-at-a-time.ts'
import { writeOften } from './write-often.ts'

const everyMs = 500
/** How many kinds of errors one statement writes at most. */
const kindsAtOnce = 200

export interface ErrorLog extends Pick<Loop, 'close'> {
  readonly note: NoteCallError
  /** Resolves when everything noted before is written. */
  readonly write: () => Promise<void>
}

export function startErrorLog({
  database,
  clock,
  log,
}: {
  readonly database: Database
  readonly clock: Clock
  readonly log: Log
}): ErrorLog {
  const notes = new ErrorNotes()
  /** A failed write is retried; if it had succeeded without an answer, its errors count twice. */
  const write = oneAtATime(async () => {
    const { kinds, lost } = notes.take()
    if (lost > 0) log('warn', 'errors of callers were not recorded', { count: lost })
    for (let start = 0; start < kinds.length; start += kindsAtOnce) {
      try {
        await writeErrors(database, kinds.slice(start, start + kindsAtOnce))
      } catch (error) {
        notes.putBack(kinds.slice(start))
        throw error
      }
    }
  })
  const { close } = writeOften({ everyMs, write, log, waits: 'errors of callers wait to be written' })
  return {
    note: (error) => notes.note({ ...error, atMs: clock.nowMs() }),
    write,
    close,
  }
}
