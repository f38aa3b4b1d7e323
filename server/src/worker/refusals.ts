/** Twice a second, writes the refusals of this node. A crash loses half a second of them. */
import { createRefusalWriter, type NoteRefusal, RefusalNotes } from '../domain/verification/index.ts'
import type { Database } from '../platform/database.ts'
import { describeError, type Log } from '../platform/log.ts'
import type { Loop } from '../platform/loop.ts'
import type { Metrics } from '../platform/metrics.ts'
import { writeOften } from './write-often.ts'

const everyMs = 500

export interface RefusalLogDependencies {
  readonly database: Database
  readonly metrics: Pick<Metrics, 'countRefusal' | 'countLostRefusals' | 'setUnwrittenRefusals'>
  readonly log: Log
}

export interface RefusalLog extends Pick<Loop, 'close'> {
  readonly note: NoteRefusal
  /** Resolves when everything noted before is written. */
  readonly write: () => Promise<void>
}

export function startRefusalLog({ database, metrics, log }: RefusalLogDependencies): RefusalLog {
  const notes = new RefusalNotes()
  const write = createRefusalWriter({
    database,
    notes,
    onLost: (error, count) => {
      metrics.countLostRefusals(count)
      log('error', 'refusals could not be written', { count, ...describeError(error) })
    },
  })
  const { close } = writeOften({
    everyMs,
    write: () => write().finally(() => metrics.setUnwrittenRefusals(notes.unwritten)),
    log,
    waits: 'refusals wait to be written',
  })
  return {
    note: (refusal) => {
      metrics.countRefusal(refusal.kind, refusal.decided.rule)
      notes.note(refusal)
    },
    write,
    close,
  }
}
