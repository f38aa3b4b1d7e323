/**
 * One service for all scenarios that do not need their own. It is warmed up once, with whole cycles, so that they
 * measure a service that has run for a while, on a database that holds the rows of the scenarios before.
 */
import { connectCarrier, cycling } from './measuring/customer.ts'
import type { Service } from './measuring/stage.ts'
import { type Bench, furnish, warmUp } from './scenario.ts'

/** Starts the service when it is first needed, and again if a scenario that was cut off has ended it. */
export function shareService(bench: Omit<Bench, 'shared'>): Bench['shared'] {
  let service: Service | null = null
  return async () => {
    if (!service || service.hasEnded()) service = await start(bench)
    return service
  }
}

async function start(bench: Omit<Bench, 'shared'>): Promise<Service> {
  const { stage, side } = bench
  const service = await stage.startService(await stage.makeDatabase())
  await connectCarrier(service, side)
  const running = await furnish(stage, side, service)
  const app = await running.openApp('auto', { hasEndpoint: true })
  await warmUp(bench, running, cycling([app], side))
  side.forget()
  return service
}
