import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { formatMicros, parseMicros, sayAmount } from './money.ts'

describe('money', () => {
  for (const [text, micros, written] of [
    ['0', 0n, '0.000000'],
    ['0.0', 0n, '0.000000'],
    ['1', 1_000_000n, '1.000000'],
    ['0.05', 50_000n, '0.050000'],
    ['0.000001', 1n, '0.000001'],
    ['0.1', 100_000n, '0.100000'],
    ['12.3456', 12_345_600n, '12.345600'],
    ['-0.05', -50_000n, '-0.050000'],
    ['-0.000001', -1n, '-0.000001'],
    ['-12', -12_000_000n, '-12.000000'],
    ['007.50', 7_500_000n, '7.500000'],
    ['999999999999.999999', 999_999_999_999_999_999n, '999999999999.999999'],
  ] as const) {
    it(`${text} is ${micros} micro-units and is written ${written}`, () => {
      assert.equal(parseMicros(text), micros)
      assert.equal(formatMicros(micros), written)
    })
  }

  it('is said as people read it', () => {
    assert.deepEqual(
      [0n, 100_000_000n, 200_000n, 1_000n, 1n, -50_000n, 1_234_567_890_000n].map((micros) =>
        sayAmount(micros, 'EUR'),
      ),
      ['€0.00', '€100.00', '€0.20', '€0.001', '€0.000001', '-€0.05', '€1,234,567.89'],
    )
    assert.equal(sayAmount(999_999_999_999_999_999n, 'EUR'), '€999,999,999,999.999999')
    assert.match(sayAmount(50_000n, 'CHF'), /^CHF\s0\.05$/)
  })

  it('is exact both ways, where floating point is not', () => {
    for (let micros = -2_000_003n; micros < 2_000_003n; micros += 997n)
      assert.equal(parseMicros(formatMicros(micros)), micros)
    assert.equal(parseMicros('0.1') + parseMicros('0.2'), parseMicros('0.3'))
  })
})
