/** Gives a sign of life every few seconds, which covers everything that this process has in hand. */
import { randomBytes } from 'node:crypto'
import type { Database } from '../platform/database.ts'
import type { Warn } from '../platform/log.ts'
import { startLoop } from '../platform/loop.ts'
import { aliveEveryMs, Pulse } from '../platform/pulse.ts'

export interface RunningPulse {
  readonly pulse: Pulse
  /** After this the process counts as dead: what it still has in hand is taken over when the lease ends. */
  readonly close: () => Promise<void>
}

export function startPulse({
  database,
  warn,
}: {
  readonly database: Database
  readonly warn: Warn
}): RunningPulse {
  const pulse = new Pulse(randomBytes(9).toString('base64url'), database)
  const alive = startLoop({
    round: async () => {
      await pulse.beat()
    },
    pollMs: aliveEveryMs,
    onError: (error) => warn('saying that the worker lives failed', error),
  })
  return {
    pulse,
    close: async () => {
      await alive.close()
      await pulse.end().catch(() => {})
    },
  }
}
