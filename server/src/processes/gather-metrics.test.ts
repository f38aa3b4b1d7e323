import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createMetrics } from '../platform/metrics.ts'
import { GatheredMetrics } from './gather-metrics.ts'

const figureIn = (text: string, name: string) => {
  const found = text.split('\n').find((line) => line.startsWith(`${name} `) || line.startsWith(`${name}{`))
  return Number(found?.split(' ').at(-1))
}

describe('metrics of several processes', () => {
  it('are sums where each counts its own, and one value where each sees the same', async () => {
    const [one, other] = [createMetrics(), createMetrics()]
    for (const metrics of [one, other]) {
      metrics.setInFlight(3)
      metrics.setPausedEndpoints(2)
      metrics.countTakenOver()
      metrics.observeRequest('POST', '/a', 200, 0.004)
    }
    one.watchPartitions(() => 8)
    other.watchPartitions(() => 7)
    const text = await new GatheredMetrics().text(
      new Map([
        [1, one.list],
        [2, other.list],
      ]),
    )
    assert.equal(figureIn(text, 'countersign_deliveries_in_flight'), 6)
    assert.equal(figureIn(text, 'countersign_webhook_endpoints_paused'), 2)
    assert.equal(figureIn(text, 'countersign_deliveries_taken_over_total'), 2)
    assert.equal(figureIn(text, 'countersign_http_request_seconds_count'), 2)
    assert.equal(figureIn(text, 'countersign_partition_days_ahead'), 7)
  })

  it('do not count less when a process has ended, and forget what it was doing', async () => {
    const gathered = new GatheredMetrics()
    const [one, other] = [createMetrics(), createMetrics()]
    for (const metrics of [one, other]) {
      metrics.setInFlight(3)
      metrics.countTakenOver()
    }
    await gathered.text(
      new Map([
        [1, one.list],
        [2, other.list],
      ]),
    )
    await gathered.forget(1)
    const text = await gathered.text(new Map([[2, other.list]]))
    assert.equal(figureIn(text, 'countersign_deliveries_taken_over_total'), 2)
    assert.equal(figureIn(text, 'countersign_deliveries_in_flight'), 3)
  })

  it('of one that does not answer are as they were', async () => {
    const gathered = new GatheredMetrics()
    const one = createMetrics()
    one.countTakenOver()
    await gathered.text(new Map([[1, one.list]]))
    const text = await gathered.text(new Map([[1, () => new Promise(() => {})]]))
    assert.equal(figureIn(text, 'countersign_deliveries_taken_over_total'), 1)
  })
})
