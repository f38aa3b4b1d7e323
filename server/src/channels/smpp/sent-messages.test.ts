import assert from 'node:assert/strict'
import { it } from 'node:test'
import { SentMessages } from './sent-messages.ts'

const report = (rawId: string) => ({ rawId, isExactId: false, status: 'delivered', error: null }) as const

it('a short id counts only in the form that the carrier uses: in another it may be that of another message', () => {
  const sent = new SentMessages()
  for (const id of ['900001', '10', '1e240']) sent.add(sent.begin(`dlv_${id}`, 1), id)
  // Seen once as it was given, which is then the carrier's form.
  assert.equal(sent.receiptOf(report('900001'))?.deliveryId, 'dlv_900001')
  // 16 is 10 in hexadecimal, and 123456 is 1e240, which is too long for chance.
  const short = sent.receiptOf(report('16'))
  assert.deepEqual([short?.deliveryId, short?.messageId], [null, '16'])
  assert.equal(sent.receiptOf(report('123456'))?.deliveryId, 'dlv_1e240')
})

it('only the last ten thousand ids are remembered', () => {
  const sent = new SentMessages()
  for (let id = 0; id <= 10_000; id++) sent.add(sent.begin(`dlv_${id}`, 1), `id-${id}`)
  assert.equal(sent.receiptOf(report('id-0'))?.deliveryId, null)
  assert.equal(sent.receiptOf(report('id-1'))?.deliveryId, 'dlv_1')
})
