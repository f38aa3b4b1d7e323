/** The canary, started by hand and by a timer. */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { startCommandLine } from './cli-support.ts'
import { freshEmail, freshPhone, until } from './harness/fixtures.ts'
import { startNode } from './harness/node.ts'

const { service, tenant, capture, builtIn, answerReceipts, countersign, close } = await startCommandLine()
after(close)

describe('a canary', () => {
  it('names the step that failed: the send, the account, the receipt', async () => {
    const canary = (...more: string[]) =>
      countersign(['canary', '--app', tenant.appId, '--account', 'simulator-sms', '--json', ...more])
    const failed = async (...more: string[]) => {
      const { code, text } = await canary(...more)
      const { failed_step, steps } = JSON.parse(text)
      return [code, failed_step, steps.at(-1).detail]
    }
    const [unsent, at, why] = await failed('--to', 'nobody')
    assert.deepEqual([unsent, at, why.split(':')[0]], [1, 'send', 'InvalidRecipientError'])
    service.node.capture.answerWith(() => ({ kind: 'refused', error: { code: 'R1', message: 'No route.' } }))
    assert.deepEqual(await failed('--to', freshPhone()), [1, 'accept', 'The message failed. No route. (R1)'])
    service.node.capture.answerWith(null)
    answerReceipts('failed')
    const [code, step] = await failed('--to', freshPhone())
    assert.deepEqual([code, step], [1, 'receipt'])
    answerReceipts('none')
    assert.equal((await canary('--to', freshPhone(), '--skip-receipt')).code, 0)
    answerReceipts('delivered')
  })

  it('on a timer says in a metric and to the operator which of them came back', async () => {
    const nobodys = 'app_00000000000000000000000000'
    const worker = await startNode(service.database.url, {
      capture,
      builtIn,
      role: 'worker',
      canaries: [
        { appId: tenant.appId, account: 'simulator-sms', recipient: freshPhone() },
        { appId: nobodys, account: 'simulator-email', recipient: freshEmail() },
      ],
    })
    try {
      const lines = await until('both canaries', async () => {
        const { body } = await worker.call('GET', '/metrics')
        const found = String(body).match(/^countersign_canary_ok\{.*$/gm) ?? []
        return found.length === 2 && found
      })
      assert.deepEqual(lines.toSorted(), [
        'countersign_canary_ok{account="simulator-email"} 0',
        'countersign_canary_ok{account="simulator-sms"} 1',
      ])
      const { attention } = (await service.node.manage('GET', '/installation')).body
      assert.deepEqual(
        attention
          .filter(({ kind }: { kind: string }) => kind === 'canary_failed')
          .map(({ subject, message }: { subject: string; message: string }) => [subject, message]),
        [
          [
            'simulator-email',
            'The canary through simulator-email failed at its step send. There is no such app.',
          ],
        ],
      )
      const told = worker.logged.filter(({ message }) => message === 'a canary did not come back')
      assert.deepEqual(
        told.map(({ fields }) => [fields.account, fields.step]),
        [['simulator-email', 'send']],
      )
    } finally {
      await worker.close()
    }
  })
})
