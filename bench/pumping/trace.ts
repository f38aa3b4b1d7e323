/** Anybody's traffic, one JSON object a line, through the real service. */
import { createReadStream, createWriteStream } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { z } from 'zod'
import { makeScenario, type ScenarioName } from './scenario.ts'
import { type Outcome, startService } from './service.ts'

const traceLine = z.object({
  t: z.number(),
  recipient: z.string(),
  client_ip: z.string().nullable().optional(),
  approves_after: z.number().nullable().optional(),
  label: z.string().optional(),
})
export type TraceLine = z.infer<typeof traceLine>

export interface ReplayOptions {
  readonly decisionsFile: string | null
  readonly countries: readonly string[]
  readonly settingsFile: string | null
  readonly ipSourcesFile: string | null
}

interface Tally {
  sends: number
  stopped: number
  rerouted: number
  readonly firstAt: number
  firstStopAt: number | null
}

export async function replayTrace(file: string, options: ReplayOptions): Promise<void> {
  const given: Record<string, unknown> = options.settingsFile
    ? JSON.parse(await readFile(options.settingsFile, 'utf8'))
    : {}
  const pumping = typeof given.pumping === 'object' ? given.pumping : {}
  const declared = options.countries.length > 0 ? { declared_countries: options.countries } : {}
  const settings = { ...given, pumping: { ...pumping, ...declared } }
  const tallies = new Map<string, Tally>()
  const out = options.decisionsFile ? createWriteStream(options.decisionsFile) : null
  await replayLines(linesOf(file), settings, options.ipSourcesFile, (line, index, { outcome, scope }) => {
    const label = line.label ?? '(no label)'
    const tally = tallies.get(label) ?? {
      sends: 0,
      stopped: 0,
      rerouted: 0,
      firstAt: line.t,
      firstStopAt: null,
    }
    tallies.set(label, tally)
    tally.sends++
    if (outcome !== 'sent') tally.firstStopAt ??= line.t
    if (outcome === 'stopped') tally.stopped++
    if (outcome === 'rerouted') tally.rerouted++
    out?.write(`${JSON.stringify({ index, outcome, scope })}\n`)
  })
  await new Promise<void>((resolve) => (out ? out.end(resolve) : resolve()))
  printTallies(tallies)
}

async function* linesOf(file: string): AsyncGenerator<TraceLine> {
  for await (const text of createInterface({ input: createReadStream(file) })) {
    if (text.trim() !== '') yield traceLine.parse(JSON.parse(text))
  }
}

/** An approval happens only if its send went out. */
export async function replayLines(
  lines: AsyncIterable<TraceLine> | Iterable<TraceLine>,
  settings: Record<string, unknown>,
  ipSourcesFile: string | null,
  onOutcome: (line: TraceLine, index: number, outcome: Outcome) => void,
): Promise<void> {
  const service = await startService({ settings, ipSourcesFile })
  try {
    const waiting: { at: number; otpId: string }[] = []
    let index = 0
    let first: number | null = null
    for await (const line of lines) {
      first ??= line.t
      const t = line.t - first
      for (let next = waiting.at(-1); next && next.at <= t; next = waiting.at(-1)) {
        waiting.pop()
        await service.approve(next.at, next.otpId)
      }
      const outcome = await service.send(t, line.recipient, line.client_ip ?? null)
      if (outcome.outcome === 'sent' && outcome.otpId && typeof line.approves_after === 'number') {
        waiting.push({ at: t + line.approves_after, otpId: outcome.otpId })
        waiting.sort((left, right) => right.at - left.at)
      }
      onOutcome(line, index++, outcome)
    }
  } finally {
    await service.close()
  }
}

function printTallies(tallies: ReadonlyMap<string, Tally>): void {
  console.log('label               sends   stopped  rerouted   first stop after')
  for (const [label, { sends, stopped, rerouted, firstAt, firstStopAt }] of tallies) {
    const after = firstStopAt === null ? 'never' : `${(firstStopAt - firstAt).toFixed(1)} s`
    const counts = [sends, stopped, rerouted].map((count) => String(count).padStart(10)).join('')
    console.log(`${label.padEnd(15)}${counts}   ${after.padStart(16)}`)
  }
}

export async function writeTrace(file: string, name: ScenarioName, perDay: number, seed: number) {
  const lines = makeScenario(name, perDay, seed).sends.map(
    ({ t, recipient, clientIp, approvesAfter, label }) =>
      JSON.stringify({
        t: Math.round(t * 1000) / 1000,
        recipient,
        client_ip: clientIp,
        approves_after: approvesAfter === null ? null : Math.round(approvesAfter * 1000) / 1000,
        label,
      }),
  )
  await writeFile(file, `${lines.join('\n')}\n`)
}
