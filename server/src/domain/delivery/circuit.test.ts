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

it('an account that takes messages is not left alone while one is under way', () => {
  const circuits = new Circuits()
  circuits.succeeded('a', 0)
  circuits.begin('a', 10)
  assert.ok(!circuits.isOpen('a', 10))
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

describe('an account that is broken', () => {
  it('is told of once a minute, however many messages say so, and whatever it takes in between', () => {
    const circuits = new Circuits()
    const told = Array.from({ length: 1_200 }, (_, index) => index * 100).filter((nowMs) => {
      if (nowMs % 5_000 === 0) circuits.succeeded('a', nowMs)
      circuits.erred('a', nowMs, true)
      return circuits.isNews('a', nowMs)
    })
    assert.deepEqual(told, [0, 60_000])
    assert.ok(circuits.isNews('b', 1_000))
  })

  it('is asked again and told of again after a clock was set back by an hour', () => {
    const circuits = new Circuits()
    circuits.erred('a', 3_600_000, true)
    circuits.isNews('a', 3_600_000)
    assert.ok(circuits.isOpen('a', 3_600_000))
    assert.ok(!circuits.isOpen('a', 10))
    assert.ok(circuits.isNews('a', 10))
  })
})

it('accounts that are gone are forgotten in the end', () => {
  const circuits = new Circuits()
  circuits.erred('gone', 0, true)
  circuits.erred('in use', 0, true)
  for (let index = 0; index < 10_000; index++) {
    circuits.succeeded(`removed later ${index}`, 1)
    circuits.erred('in use', 1, true)
  }
  assert.ok(!circuits.isOpen('gone', 2))
  assert.ok(circuits.isOpen('in use', 2))
})
