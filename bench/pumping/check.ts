/** The same sends in memory and through the service on PostgreSQL: the decisions must be the same. */
import { attackTraffic } from './attacks.ts'
import { createEngine } from './engine.ts'
import { honestTraffic } from './honest.ts'
import { createRandom } from './random.ts'
import { play } from './replay.ts'
import { replayLines } from './replay-trace.ts'
import { startService } from './service.ts'
import { daySeconds, inOrder } from './traffic.ts'

/** Limits that are never reached, so that only the guard decides. */
const wide = [{ max: 1_000, window_s: 1 }]
const settings = {
  routing: { default: ['sms'] },
  limits: {
    recipient: wide,
    ip: wide,
    flagged_ip: [{ max: 999, window_s: 1 }],
    app: [{ max: 1_000_000, window_s: 1 }],
    app_without_ip: [{ max: 999, window_s: 1 }],
  },
}
const attackMinutes = 20

export async function checkAgainstDatabase(): Promise<string> {
  const random = createRandom(4_711)
  const from = 0.8 * daySeconds
  const attacks = (['A2', 'A3', 'A6', 'A9'] as const).flatMap((name, index) =>
    attackTraffic(random, name, from + index * attackMinutes * 60).filter(
      ({ t }) => t < from + (index + 1) * attackMinutes * 60,
    ),
  )
  const sends = inOrder([...honestTraffic(random, { perDay: 1_200, days: 1 }), ...attacks]).map((send) => ({
    ...send,
    // Times are rounded to the millisecond, as in the database, and there are no IP lists.
    t: Math.round(send.t * 1000) / 1000,
    approvesAfter: send.approvesAfter === null ? null : Math.round(send.approvesAfter * 1000) / 1000,
    isFlagged: false,
  }))
  const first = sends[0]?.t ?? 0
  const inMemory = play(
    sends.map((send) => ({ ...send, t: send.t - first })),
    createEngine(),
  )
  let equal = 0
  let stopped = 0
  const lines = sends.map(({ t, recipient, clientIp, approvesAfter }, index) => ({
    index,
    line: { t, recipient, client_ip: clientIp, approves_after: approvesAfter },
  }))
  const service = await startService({ settings, ipSourcesFile: null })
  try {
    await replayLines(lines, service, new AbortController().signal, ({ index }, { outcome }) => {
      const expected = inMemory[index]?.stoppedBy === null ? 'sent' : 'stopped'
      if (outcome === 'stopped') stopped++
      if (outcome === expected) equal++
    })
  } finally {
    await service.close()
  }
  return `through the service on PostgreSQL: ${equal} of ${sends.length} decisions as in memory, ${stopped} of them stops`
}
