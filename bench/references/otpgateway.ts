/**
 * Not run here: it is written in Go and keeps everything in Redis, in memory. Its figure is from a two-core machine.
 */
import type { Row, Scenario } from '../scenario.ts'

const cycle: Row = {
  id: 'otpgateway-cycle',
  what: 'otpgateway 3 on Redis, cycle: a fixed figure from a two-core machine',
  value: 2_450,
  unit: '/s',
  note: 'not measured in this run; volatile',
}

export const otpgateway: Scenario = {
  name: 'otpgateway',
  run: async ({ found }) => {
    const ours = found('cycle')
    if (!ours) return [cycle]
    return [
      cycle,
      {
        id: 'cycle-by-otpgateway',
        what: 'our cycle by that of otpgateway',
        value: ours.value / cycle.value,
        unit: '',
        note: 'aim: 0.6',
      },
    ]
  },
}
