/** The least that this server does for a call: what everything else is compared with. */
import { warmClosedLoop } from '../measuring/load.ts'
import { requestText } from '../measuring/wire.ts'
import { rateRow, type Scenario, withService } from '../scenario.ts'

export const noOp: Scenario = {
  name: 'no-op',
  run: (bench) =>
    withService(bench, async ({ service, costing }) => {
      const request = requestText('GET', '/healthz')
      const { result, costs } = await costing(() =>
        warmClosedLoop(
          service.port,
          async (connection) => {
            await connection.call(request)
          },
          bench,
        ),
      )
      return [rateRow('no-op', 'a call that does nothing (`GET /healthz`)', result, { costs })]
    }),
}
