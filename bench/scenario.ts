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
  /** Of one measurement. */
  readonly seconds: number
  /** Before the first of a service: some thousand calls until its code is compiled and plans are made. */
  readonly warmUpSeconds: number
  readonly stage: Stage
  readonly side: OtherSide
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

/** A service with a carrier and a company, on a new database; both go when `work` is done. */
export async function withService<Result>(
  { stage, side }: Bench,
  work: (running: Running) => Promise<Result>,
  environment: Readonly<Record<string, string>> = {},
): Promise<Result> {
  const databaseUrl = await stage.makeDatabase()
  const service = await stage.startService(databaseUrl, environment)
  try {
    return await work(await furnish(stage, side, service))
  } finally {
    side.report(null)
    await service.kill()
    side.forget()
    await stage.dropDatabase(databaseUrl)
  }
}

export async function furnish(stage: Stage, side: OtherSide, service: Service): Promise<Running> {
  await connectCarrier(service, side)
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
  bench: Pick<Bench, 'seconds' | 'warmUpSeconds'>,
  { service, costing: costs }: Pick<Running, 'service' | 'costing'>,
  call: Call,
): Promise<{ readonly result: Measured; readonly costs: Costs }> {
  await warmUp(bench, service, call)
  return costs(() => closedLoop(service.port, call, bench))
}

const warm = new WeakSet<Service>()
/** What a service that is warm needs before another kind of call. */
const againShare = 0.25

/** Code that runs for the first time is slow, and is no part of what is measured. */
export async function warmUp(
  { warmUpSeconds }: Pick<Bench, 'warmUpSeconds'>,
  service: Service,
  call: Call,
): Promise<void> {
  await closedLoop(service.port, call, { seconds: warmUpSeconds * (warm.has(service) ? againShare : 1) })
  warm.add(service)
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
