/** One service for a test file: started before its tests, stopped and taken away after them. */
import assert from 'node:assert/strict'
import { after, before } from 'node:test'
import { type Caller, callerOf, createApp, type TestApp } from './app.ts'
import { type RunningService, removeDataDir, start } from './process.ts'
import { type Simulator, simulatorAt } from './simulator.ts'

export interface ServiceUnderTest {
  readonly running: RunningService
  readonly caller: Caller
  readonly simulator: Simulator
  readonly createApp: (settings?: Readonly<Record<string, unknown>>) => Promise<TestApp>
}

type Environment = Readonly<Record<string, string>>

export function useService(
  readEnvironment: () => Promise<Environment> | Environment = () => ({}),
): () => ServiceUnderTest {
  let service: ServiceUnderTest | undefined
  before(async () => {
    service = serviceOf(await start({ environment: await readEnvironment() }))
  })
  after(async () => {
    if (!service) return
    const { running } = service
    const exit = await running.stop()
    await removeDataDir(running.dataDir)
    assert.deepEqual(exit, { code: 0, signal: null }, running.output())
  })
  return () => {
    assert.ok(service, 'the service has not started')
    return service
  }
}

export function serviceOf(running: RunningService): ServiceUnderTest {
  const caller = callerOf(running.url)
  return {
    running,
    caller,
    simulator: simulatorAt(running.simulatorUrl),
    createApp: (settings = {}) => createApp(caller, running.adminToken, settings),
  }
}
