import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { firstWindow, Windows, widestWindow } from './windows.ts'

const taken = (inFlight: number, latencyMs = 20) => ({ isTaken: true, latencyMs, inFlight })
const failed = { isTaken: false, latencyMs: 20, inFlight: 1 }

describe('the window of an endpoint', () => {
  it('grows with every quick answer while it is used, up to a bound', () => {
    const windows = new Windows()
    for (let count = 0; count < 500; count++) windows.note('app', taken(windows.of('app')))
    assert.equal(windows.of('app'), widestWindow)
    assert.equal(windows.of('other'), firstWindow)
  })

  it('does not grow where less is sent than it holds, or the endpoint is slow', () => {
    const windows = new Windows()
    for (let count = 0; count < 100; count++) {
      windows.note('idle', taken(1))
      windows.note('slow', taken(firstWindow, 3_000))
    }
    assert.deepEqual([windows.of('idle'), windows.of('slow')], [firstWindow, firstWindow])
  })

  it('of an endpoint that becomes slow shrinks to what it began with', () => {
    const windows = new Windows()
    for (let count = 0; count < 500; count++) windows.note('app', taken(windows.of('app')))
    for (let count = 0; count < 500; count++) windows.note('app', taken(windows.of('app'), 3_000))
    assert.equal(windows.of('app'), firstWindow)
  })

  it('is halved by each failure, down to one, and grows again from there', () => {
    const windows = new Windows()
    const sizes = Array.from({ length: 5 }, () => {
      windows.note('app', failed)
      return windows.of('app')
    })
    assert.deepEqual(sizes, [5, 2, 1, 1, 1])
    windows.note('app', taken(1))
    assert.equal(windows.of('app'), 2)
  })
})
