/**
 * One service for all scenarios that need nothing of their own: it is warmed up once, with whole cycles, and what they
 * measure is what a service does that has run for a while, on a database that has what the others have left.
 */
import { connectCarrier, cycling } from './measuring/customer.ts'
import type { Service } from './measuring/stage.ts'
import { type Bench, furnish, warmUp } from './scenario.ts'

/** Starts it when it is first asked for, and again where a scenario that was cut off has ended it. */
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
