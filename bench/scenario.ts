/** What a scenario is, what it finds, and what it is given. */
import { type Costs, costing } from './measuring/cpu.ts'
import {
  type App,
  connectCarrier,
  type Guard,
  giveHistory,
  openApp,
  openCompany,
} from './measuring/customer.ts'
import { type Call, closedLoop, type Measured } from './measuring/load.ts'
import type { OtherSide } from './measuring/other-side.ts'
import type { Service, Stage } from './measuring/stage.ts'
import { untilSteady, type WarmUp } from './measuring/warm-up.ts'

/** One figure. `beside` names the row that it is shown as a ratio to. */
export interface Row {
  readonly id: string
  readonly what: string
  readonly value: number
  readonly unit: '/s' | 'ms' | 'µs' | 'MB' | 'B' | ''
  readonly beside?: string
  readonly costs?: Costs
  readonly note?: string
}

export interface Scenario {
  readonly name: string
  /** Left out by `--quick`. */
  readonly isLong?: boolean
  /** Fetches what has to be there, once; before time counts. */
  readonly prepare?: (say: Bench['say']) => Promise<void>
  readonly run: (bench: Bench) => Promise<readonly Row[]>
}

export interface Bench {
  readonly isQuick: boolean
  /** Scenarios were asked for by name: they may take as long as they take. */
  readonly isUnhurried: boolean
  /** Of one measurement. */
  readonly seconds: number
  /** Of a service that is new. */
  readonly warmUp: WarmUp
  readonly stage: Stage
  readonly side: OtherSide
  /** The service that scenarios share which need none of their own: it is warm. */
  readonly shared: () => Promise<Service>
  /** What earlier scenarios have found. */
  readonly found: (id: string) => Row | undefined
  readonly say: (line: string) => void
}

/** The rate of a measurement, as a row. */
export const rateRow = (
  id: string,
  what: string,
  { perSecond }: Pick<Measured, 'perSecond'>,
  more: Pick<Row, 'beside' | 'costs' | 'note'> = {},
): Row => ({ id, what, value: perSecond, unit: '/s', ...more })

export interface Running {
  readonly service: Service
  readonly company: string
  readonly openApp: (
    guard: Guard,
    options?: {
      readonly hasEndpoint?: boolean
      readonly hasHistory?: boolean
      /** Of another company than the one that is there. */
      readonly companyId?: string
    },
  ) => Promise<App>
  /** With what it cost of the processor. */
  readonly costing: <Result extends { readonly count: number }>(
    run: () => Promise<Result>,
  ) => Promise<{ readonly result: Result; readonly costs: Costs }>
}

/** A company of its own at the service that scenarios share. */
export async function withService<Result>(
  { stage, side, shared }: Bench,
  work: (running: Running) => Promise<Result>,
): Promise<Result> {
  const running = await furnish(stage, side, await shared())
  try {
    return await work(running)
  } finally {
    side.report(null)
    side.forget()
  }
}

/** A service with a carrier and a company, on a new database; both go when `work` is done. */
export async function withOwnService<Result>(
  { stage, side }: Bench,
  work: (running: Running) => Promise<Result>,
  environment: Readonly<Record<string, string>> = {},
): Promise<Result> {
  const databaseUrl = await stage.makeDatabase()
  const service = await stage.startService(databaseUrl, environment)
  try {
    await connectCarrier(service, side)
    return await work(await furnish(stage, side, service))
  } finally {
    side.report(null)
    await service.kill()
    side.forget()
    await stage.dropDatabase(databaseUrl)
  }
}

export async function furnish(stage: Stage, side: OtherSide, service: Service): Promise<Running> {
  const company = await openCompany(service)
  return {
    service,
    company,
    openApp: async (guard, { hasEndpoint = false, hasHistory = true, companyId = company } = {}) => {
      const endpoint = hasEndpoint ? { endpointUrl: side.endpointUrl } : {}
      const app = await openApp(service, companyId, { guard, ...endpoint })
      if (hasHistory) await giveHistory(service.port, [app], side)
      return app
    },
    costing: (run) => costing({ service: service.pid, database: stage.postmaster }, run),
  }
}

/** The most calls a second, and what each costs, once the code is warm. */
export async function saturate(
  bench: Pick<Bench, 'seconds' | 'warmUp' | 'say'>,
  running: Pick<Running, 'service' | 'costing'>,
  call: Call,
): Promise<{ readonly result: Measured; readonly costs: Costs }> {
  await warmUp(bench, running, call)
  return running.costing(() => closedLoop(running.service.port, call, bench))
}

const warm = new WeakSet<Service>()
/** Another kind of call, or another app, at a service that is warm. */
const againCalls = 300
const againSeconds = 3

export async function warmUp(
  { warmUp: bounds, say }: Pick<Bench, 'warmUp' | 'say'>,
  { service, costing: costs }: Pick<Running, 'service' | 'costing'>,
  call: Call,
): Promise<void> {
  const { port } = service
  if (warm.has(service)) {
    await closedLoop(port, call, { seconds: againSeconds, most: againCalls })
    return
  }
  const { mostSeconds: seconds, roundOf: most } = bounds
  const calls = await untilSteady(bounds, () => costs(() => closedLoop(port, call, { seconds, most })))
  warm.add(service)
  say(`warm after ${calls} calls`)
}

/** Waits until `isDone`, at most so long; whether it came. */
export async function until(isDone: () => boolean | Promise<boolean>, limitMs: number): Promise<boolean> {
  const endMs = performance.now() + limitMs
  while (!(await isDone())) {
    if (performance.now() > endMs) return false
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  return true
}
