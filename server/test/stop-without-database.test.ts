/** A stop while the database is away. */
import assert from 'node:assert/strict'
import { after, it } from 'node:test'
import { masterKeys, queued, settled, startQueue } from './deliveries-support.ts'
import { layCable } from './harness/cable.ts'
import { Capture } from './harness/capture.ts'
import { until } from './harness/fixtures.ts'
import { startNode } from './harness/node.ts'

const { database, node: api, close } = await startQueue()
after(close)

it('names the database as what it waits for, and still writes the outcome of a message once it is back', async () => {
  const { cable, url } = await layCable(database.url)
  const capture = new Capture()
  capture.answerWith(({ deliveryId }) => {
    cable.cut()
    return { kind: 'accepted', messageId: deliveryId }
  })
  const told: string[] = []
  const onStopWaits = (names: readonly string[]) => {
    told.push(...names)
    if (names.includes('the database (unreachable)')) cable.mend()
  }
  const worker = await startNode(url, { capture, masterKeys, role: 'worker', onStopWaits })
  try {
    const { otpId, recipient } = await queued(api)
    await until('the provider to have it', () => capture.to(recipient).length === 1)
    await worker.close()
    assert.ok(told.includes('the database (unreachable)'), told.join(', '))
    await settled(database, otpId, 'sent')
  } finally {
    cable.mend()
    await worker.close()
    await cable.close()
  }
})
