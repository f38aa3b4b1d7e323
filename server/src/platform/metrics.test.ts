import assert from 'node:assert/strict'
import { it } from 'node:test'
import { createMetrics, textOfLists } from './metrics.ts'

it('nothing is told any more of an account that was removed, and all of those that are left', async () => {
  const metrics = createMetrics()
  for (const account of ['prv_gone', 'prv_left']) {
    const labels = { account, channel: 'sms', provider: 'smpp' }
    metrics.observeAccept(labels, 0.1)
    metrics.observeReceipt(labels, 2)
    for (const result of ['sent', 'failed', 'delivered'] as const)
      metrics.countAccountMessages(labels, result, 1)
  }
  const linesOf = async (account: string) => (await metrics.text()).split(account).length - 1
  const before = await linesOf('prv_left')
  assert.equal(await linesOf('prv_gone'), before)
  metrics.keepAccounts(new Set(['prv_left', 'prv_new']))
  assert.equal(await linesOf('prv_gone'), 0)
  assert.equal(await linesOf('prv_left'), before)
})

it('a receipt that comes when its account is gone already leaves nothing behind', async () => {
  const metrics = createMetrics()
  const labels = { channel: 'sms', provider: 'smpp' }
  metrics.observeReceipt({ ...labels, account: 'prv_gone' }, 2)
  metrics.observeReceipt({ ...labels, account: 'companies' }, 2)
  metrics.keepAccounts(new Set(['companies']))
  const text = await metrics.text()
  assert.ok(!text.includes('prv_gone'))
  assert.ok(text.includes('account="companies"'))
})

it('what nobody knows has no value, also beside a process that knows it', async () => {
  const valuesIn = (text: string) =>
    [...text.matchAll(/^countersign_(?:read_database_lag_seconds|partition_days_ahead) (.*)$/gm)].map(
      ([, value]) => Number(value),
    )
  let [lag, days]: [number | null, number | null] = [null, null]
  const metrics = createMetrics()
  metrics.watchReading(() => lag)
  metrics.watchPartitions(() => days)
  assert.deepEqual(valuesIn(await metrics.text()), [])
  const unknown = await metrics.list()
  ;[lag, days] = [3, 8]
  assert.deepEqual(valuesIn(await metrics.text()).toSorted(), [3, 8])
  assert.deepEqual(valuesIn(await textOfLists([unknown, await metrics.list()])).toSorted(), [3, 8])
  ;[lag, days] = [null, null]
  assert.deepEqual(valuesIn(await metrics.text()), [])
})
