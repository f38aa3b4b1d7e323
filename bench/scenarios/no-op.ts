/** The least that this server does for a call. Everything else is compared with it. */
import { expect200 } from '../measuring/load.ts'
import { requestText } from '../measuring/wire.ts'
import { rateRow, type Scenario, saturate, withService } from '../scenario.ts'

export const noOp: Scenario = {
  name: 'no-op',
  run: (bench) =>
    withService(bench, async (running) => {
      const request = requestText('GET', '/healthz')
      const { result, costs } = await saturate(bench, running, async (connection) => {
        expect200(await connection.call(request))
      })
      return [rateRow('no-op', 'a call that does nothing (`GET /healthz`)', result, { costs })]
    }),
}
