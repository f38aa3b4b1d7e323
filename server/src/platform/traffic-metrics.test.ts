import assert from 'node:assert/strict'
import { it } from 'node:test'
import { Registry } from 'prom-client'
import { trafficMetrics } from './traffic-metrics.ts'

it('a canary shows the steps of its last run only, and nothing but its time once nobody runs it', async () => {
  const registry = new Registry()
  const { setCanaries } = trafficMetrics(registry)
  const shown = async () =>
    (await registry.metrics())
      .match(/^countersign_canary_.*$/gm)
      ?.map((line) => line.replace('countersign_canary_', ''))
  const whole = { account: 'prv_1', isOk: true, isRun: true, atMs: 5_000 }
  setCanaries([{ ...whole, steps: ['send', 'accept'].map((name) => ({ name, ms: 500 })) }])
  assert.deepEqual(await shown(), [
    'ok{account="prv_1"} 1',
    'last_seconds{account="prv_1"} 5',
    'step_seconds{account="prv_1",step="send"} 0.5',
    'step_seconds{account="prv_1",step="accept"} 0.5',
  ])
  setCanaries([{ ...whole, isOk: false, steps: [{ name: 'send', ms: 250 }] }])
  assert.deepEqual(await shown(), [
    'ok{account="prv_1"} 0',
    'last_seconds{account="prv_1"} 5',
    'step_seconds{account="prv_1",step="send"} 0.25',
  ])
  setCanaries([{ ...whole, isRun: false, steps: [] }])
  assert.deepEqual(await shown(), ['last_seconds{account="prv_1"} 5'])
})
