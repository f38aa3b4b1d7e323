/** What a scenario is, what it is given, and what it finds. */
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
  /** `--quick` leaves it out. */
  readonly isLong?: boolean
  /** Fetches what it needs, once, before time counts. */
  readonly prepare?: (say: Bench['say']) => Promise<void>
  readonly run: (bench: Bench) => Promise<readonly Row[]>
}

export interface Bench {
  readonly isQuick: boolean
  /** True if scenarios were asked for by name, so that they may take as long as they need. */
  readonly isUnhurried: boolean
  /** The length of one measurement. */
  readonly seconds: number
  /** How a new service is warmed up. */
  readonly warmUp: WarmUp
  readonly stage: Stage
  readonly side: OtherSide
  /** The warm service of all scenarios that need none of their own. */
  readonly shared: () => Promise<Service>
  /** Finds a row of an earlier scenario. */
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
      /** The company to open it in, if not that of this `Running`. */
      readonly companyId?: string
    },
  ) => Promise<App>
  /** Also measures the processor time of each call. */
  readonly costing: <Result extends { readonly count: number }>(
    run: () => Promise<Result>,
  ) => Promise<{ readonly result: Result; readonly costs: Costs }>
}

/** Runs `work` with a new company on the shared service. */
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

/** Runs `work` with a new service, carrier and company on a new database; removes service and database afterwards. */
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

/** Warms the service up, then measures the most calls a second, and what each costs. */
export async function saturate(
  bench: Pick<Bench, 'seconds' | 'warmUp' | 'say'>,
  running: Pick<Running, 'service' | 'costing'>,
  call: Call,
): Promise<{ readonly result: Measured; readonly costs: Costs }> {
  await warmUp(bench, running, call)
  return running.costing(() => closedLoop(running.service.port, call, bench))
}

const warm = new WeakSet<Service>()
/** The warm-up for another kind of call, or another app, on a service that is already warm. */
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

/** Waits until `isDone`, or until `limitMs` have passed. Resolves to whether it was done in time. */
export async function until(isDone: () => boolean | Promise<boolean>, limitMs: number): Promise<boolean> {
  const endMs = performance.now() + limitMs
  while (!(await isDone())) {
    if (performance.now() > endMs) return false
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  return true
}
