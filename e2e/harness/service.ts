/** One service for all tests of a process: started before the first test that uses it, removed after the last. */
import assert from 'node:assert/strict'
import { type Caller, callerOf, createApp, type TestApp } from './app.ts'
import { makeDataDir, type RunningService, removeDataDir, start } from './process.ts'
import { Shared } from './shared.ts'
import { type Simulator, simulatorAt } from './simulator.ts'

export interface ServiceUnderTest {
  readonly running: RunningService
  readonly caller: Caller
  readonly simulator: Simulator
  readonly createApp: (settings?: Readonly<Record<string, unknown>>) => Promise<TestApp>
}

type Environment = Readonly<Record<string, string>>
/** Is given the folder of the service, and may write files there. */
type ReadEnvironment = (dataDir: string) => Promise<Environment> | Environment

const asItComes: ReadEnvironment = () => ({})
const services = new Map<ReadEnvironment, Shared<ServiceUnderTest>>()

/** Files of a process that pass the same function share a service. */
export function useService(readEnvironment = asItComes): () => ServiceUnderTest {
  const service = services.get(readEnvironment) ?? sharedService(readEnvironment)
  services.set(readEnvironment, service)
  return service.use()
}

const sharedService = (readEnvironment: ReadEnvironment) =>
  new Shared<ServiceUnderTest>({
    open: async () => {
      const dataDir = await makeDataDir()
      return serviceOf(await start({ dataDir, environment: await readEnvironment(dataDir) }))
    },
    close: async ({ running }) => {
      const exit = await running.stop()
      await removeDataDir(running.dataDir)
      assert.deepEqual(exit, { code: 0, signal: null }, running.output())
    },
  })

export function serviceOf(running: RunningService): ServiceUnderTest {
  const caller = callerOf(running.url)
  return {
    running,
    caller,
    simulator: simulatorAt(running.simulatorUrl),
    createApp: (settings = {}) => createApp(caller, running.adminToken, settings),
  }
}
