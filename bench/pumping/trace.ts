/** Traffic as JSON lines in order of time: from anybody's log, or from a day of the benchmark. */
import { createReadStream } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { z } from 'zod'
import { makeScenario, type ScenarioName } from './scenario.ts'

const traceLine = z.object({
  t: z.number(),
  recipient: z.string(),
  client_ip: z.string().nullish(),
  approves_after: z.number().min(0).nullish(),
  label: z.string().nullish(),
})
export type TraceLine = z.infer<typeof traceLine>

export interface IndexedLine {
  /** The number of the line in the file, from 0. */
  readonly index: number
  readonly line: TraceLine
}

/** A mistake in a file that the user gave. */
export class FileError extends Error {}

/** Skips empty lines, which still count as lines. */
export async function* readTrace(file: string): AsyncGenerator<IndexedLine> {
  let index = -1
  let lastT = Number.NEGATIVE_INFINITY
  for await (const text of createInterface({ input: createReadStream(file), crlfDelay: Infinity })) {
    index++
    if (text.trim() === '') continue
    const where = `${file}, line ${index + 1}`
    const line = parseLine(text, where)
    if (line.t < lastT) throw new FileError(`${where}: t goes back, from ${lastT} to ${line.t}.`)
    lastT = line.t
    yield { index, line }
  }
}

function parseLine(text: string, where: string): TraceLine {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new FileError(`${where}: is not JSON.`)
  }
  const parsed = traceLine.safeParse(value)
  if (parsed.success) return parsed.data
  const problems = parsed.error.issues.map(
    ({ path, message }) => `${path.join('.') || 'the line'}: ${message}`,
  )
  throw new FileError(`${where}: ${problems.join('; ')}.`)
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
