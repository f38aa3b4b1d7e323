import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Circuits } from './circuit.ts'

describe('an account that a receipt has blamed', () => {
  it('rests, though it takes messages meanwhile, and is then asked as before', () => {
    const circuits = new Circuits()
    circuits.blamed('a', 0, true)
    circuits.succeeded('a', 10)
    assert.ok(circuits.isOpen('a', 14_999))
    assert.ok(!circuits.isOpen('a', 15_000))
    circuits.succeeded('a', 15_010)
    assert.ok(!circuits.isOpen('a', 15_010))
  })
})

describe('an account that keeps a message waiting', () => {
  it('is left alone, also while its error is still to come', () => {
    const circuits = new Circuits()
    circuits.keptWaiting('a', 0, 4_000)
    assert.ok(circuits.isOpen('a', 18_000))
    circuits.erred('a', 15_000, false)
    assert.ok(circuits.isOpen('a', 29_000))
    assert.ok(!circuits.isOpen('a', 30_000))
  })

  it('is asked as before when it has answered another since', () => {
    const circuits = new Circuits()
    circuits.succeeded('a', 1)
    circuits.keptWaiting('a', 0, 4_000)
    assert.ok(!circuits.isOpen('a', 4_000))
  })

  it('is asked again as soon as it answers', () => {
    const circuits = new Circuits()
    circuits.keptWaiting('a', 0, 4_000)
    circuits.succeeded('a', 5_000)
    assert.ok(!circuits.isOpen('a', 5_000))
  })
})
