/** Cycles whose messages the carrier also reports as delivered, and the same right after a burst of sends. */
import { cycling, type Sent, sending } from '../measuring/customer.ts'
import { closedLoop } from '../measuring/load.ts'
import {
  type Bench,
  type Row,
  type Running,
  rateRow,
  type Scenario,
  saturate,
  until,
  withService,
} from '../scenario.ts'

/** A quick carrier. If it were quicker, the report would arrive before the answer to the message. */
const reportedAfterMs = 100
const arrivalMs = 60_000

export const receipts: Scenario = {
  name: 'cycle with receipts',
  isLong: true,
  run: (bench) =>
    withService(bench, async (running) => {
      bench.side.report(reportedAfterMs, running.service.port)
      const fresh = await measure(bench, running, 'receipts-new', 'cycle with a receipt', 'cycle')
      const apps = [await running.openApp('off')]
      await closedLoop(running.service.port, sending(apps, [] as Sent[]), bench)
      const after = await measure(
        bench,
        running,
        'receipts-after',
        'cycle with a receipt, right after a burst of sends',
        'receipts-new',
      )
      return [fresh, after]
    }),
}

async function measure(
  bench: Bench,
  running: Running,
  id: string,
  what: string,
  beside: string,
): Promise<Row> {
  const { side } = bench
  const app = await running.openApp('auto', { hasEndpoint: true })
  const approved: string[] = []
  const call = cycling([app], side, (otpId) => approved.push(otpId))
  const { result, costs } = await saturate(bench, running, call)
  const delivered = () => side.arrivals('delivery.delivered')
  const isWhole = await until(() => approved.every((otpId) => delivered().has(otpId)), arrivalMs)
  const { refused } = side.reported()
  const missing = approved.filter((otpId) => !delivered().has(otpId)).length
  const note = [
    isWhole
      ? `all ${approved.length} receipts became events`
      : `${missing} of ${approved.length} events missing`,
    ...(refused > 0 ? [`${refused} receipts put off`] : []),
  ].join(', ')
  return rateRow(id, what, result, { beside, costs, note })
}
