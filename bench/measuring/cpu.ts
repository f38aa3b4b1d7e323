/** How much processor time processes have used, read from /proc; null where there is no /proc. */
import { readdirSync, readFileSync } from 'node:fs'

/** USER_HZ, which is 100 on every Linux that Node runs on. */
const ticksPerSecond = 100

interface ProcessTimes {
  readonly parent: number
  readonly seconds: number
  /** The time of its children that have ended. */
  readonly endedSeconds: number
}

function readTimes(pid: number): ProcessTimes | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The process name may contain spaces and brackets. After the last bracket there are only numbers.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    const ticks = (place: number) => Number(fields[place]) / ticksPerSecond
    return { parent: Number(fields[1]), seconds: ticks(11) + ticks(12), endedSeconds: ticks(13) + ticks(14) }
  } catch {
    return null
  }
}

/** Processor seconds of a process and all its descendants, those that have ended included. */
function treeSeconds(pid: number): number | null {
  if (process.platform !== 'linux') return null
  const all = new Map<number, ProcessTimes>()
  for (const name of readdirSync('/proc')) {
    const times = /^\d+$/.test(name) ? readTimes(Number(name)) : null
    if (times) all.set(Number(name), times)
  }
  let seconds = 0
  const tree = [pid]
  for (const member of tree) {
    const times = all.get(member)
    if (!times) continue
    seconds += times.seconds + times.endedSeconds
    for (const [child, { parent }] of all) if (parent === member) tree.push(child)
  }
  return seconds
}

const ownSeconds = () => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000_000
}

/** Processor time per call in microseconds: of the service, of PostgreSQL, and of the callers. */
export interface Costs {
  readonly serviceUs: number | null
  readonly databaseUs: number | null
  readonly callersUs: number
}

/** Runs `run` and divides the processor time that was used by the `count` of its result. */
export async function costing<Result extends { readonly count: number }>(
  pids: { readonly service: number | null; readonly database: number },
  run: () => Promise<Result>,
): Promise<{ readonly result: Result; readonly costs: Costs }> {
  const read = () => ({
    service: pids.service === null ? null : treeSeconds(pids.service),
    database: treeSeconds(pids.database),
    callers: ownSeconds(),
  })
  const before = read()
  const result = await run()
  const after = read()
  const each = (from: number | null, to: number | null) =>
    from === null || to === null ? null : ((to - from) * 1_000_000) / result.count
  return {
    result,
    costs: {
      serviceUs: each(before.service, after.service),
      databaseUs: each(before.database, after.database),
      callersUs: ((after.callers - before.callers) * 1_000_000) / result.count,
    },
  }
}
