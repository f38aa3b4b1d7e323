/** The rate of cycles of one app, compared with many apps together: all in one company, and each in its own company. */
import { type App, cycling, giveHistory, openApp, openCompany } from '../measuring/customer.ts'
import { rateRow, type Scenario, saturate, withService } from '../scenario.ts'

const counts = { quick: 10, full: 50 }

export const apps: Scenario = {
  name: 'many apps',
  isLong: true,
  run: (bench) =>
    withService(bench, async (running) => {
      const { service, openApp: openOwn } = running
      const many = bench.isQuick ? counts.quick : counts.full
      const measure = async (id: string, what: string, among: readonly App[]) => {
        const { result, costs } = await saturate(bench, running, cycling(among, bench.side))
        return rateRow(id, what, result, { costs, ...(id === 'apps-1' ? {} : { beside: 'apps-1' }) })
      }
      const one = await measure('apps-1', 'cycle of one app', [await openOwn('auto')])
      const ofOneCompany: App[] = []
      for (let count = 0; count < many; count++)
        ofOneCompany.push(await openOwn('auto', { hasHistory: false }))
      await giveHistory(service.port, ofOneCompany, bench.side)
      const together = await measure(
        'apps-many',
        `cycle of ${many} apps of one company, together`,
        ofOneCompany,
      )
      const ofMany: App[] = []
      for (let count = 0; count < many; count++)
        ofMany.push(await openApp(service, await openCompany(service), { guard: 'auto' }))
      await giveHistory(service.port, ofMany, bench.side)
      const what = `cycle of ${many} apps of ${many} companies, together`
      return [one, together, await measure('companies-many', what, ofMany)]
    }),
}
