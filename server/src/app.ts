/** Builds every part of the app once, and closes what it has opened. */
import type { FastifyInstance } from 'fastify'
import { Calls } from './app/calls.ts'
import { type Core, openCore } from './app/open-core.ts'
import { openHttp } from './app/open-http.ts'
import { type AppOptions, dutiesOf, type Opening, stages } from './app/opening.ts'
import { noWorker, startWorker } from './app/start-worker.ts'
import { openWhole } from './platform/closers.ts'

export type { AppOptions } from './app/opening.ts'

export interface App extends Pick<Core, 'database' | 'clock' | 'keyring'> {
  readonly server: FastifyInstance
  /** Resolves with the address that it listens on. */
  readonly listen: (port: number, host: string) => Promise<string>
  readonly close: () => Promise<void>
}

/**
 * How many connections may wait to be accepted in a busy moment; the system may allow fewer. Beyond that Linux drops
 * packets of callers, who then retry for up to a minute, so the service seems to hang.
 */
const mostUnaccepted = 4_096

export function buildApp(options: AppOptions): Promise<App> {
  let core: Core | null = null
  // While the database cannot be used, it is what every part waits for.
  const ofDatabase = () => (core?.databaseHealth.problems ?? []).map((problem) => `the database (${problem})`)
  const onWaiting = (names: readonly string[]) => options.onStopWaits?.([...names, ...ofDatabase()])
  return openWhole(stages, { log: options.log, onWaiting }, async (closers) => {
    const opening = { options, duties: dutiesOf(options.role), closers, calls: new Calls() }
    core = await openCore(opening)
    return build(opening, core)
  })
}

async function build(opening: Opening, core: Core): Promise<Omit<App, 'close'>> {
  const worker = opening.duties.runsWorker ? await startWorker(opening, core) : noWorker
  const server = await openHttp(opening, core, worker)
  const { database, clock, keyring } = core
  const listen = (port: number, host: string) => server.listen({ port, host, backlog: mostUnaccepted })
  return { server, listen, database, clock, keyring }
}
