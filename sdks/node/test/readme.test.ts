/** The programs of the README and of docs/sdks.md, run as written, with the packed library, against the service. */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { describe, type TestContext, test } from 'node:test'
import { fencesIn } from '../../../e2e/harness/documents.ts'
import { newPhone } from '../../../e2e/harness/people.ts'
import { endWithTests } from '../../../e2e/harness/process.ts'
import { useService } from '../../../e2e/harness/service.ts'
import { codeIn } from '../../../e2e/harness/simulator.ts'
import { eventually } from '../../../e2e/harness/wait.ts'
import { usePackedNode } from '../../packed-project.ts'
import { webhooks } from '../src/index.ts'

async function programsOf(page: string): Promise<string[]> {
  const text = await readFile(new URL(page, import.meta.url), 'utf8')
  return fencesIn(text).flatMap((fence) => (fence.language === 'js' ? [fence.text] : []))
}

describe('the programs of the README', () => {
  const service = useService()
  const project = usePackedNode()

  async function start(t: TestContext, file: string, program: string, env: Readonly<Record<string, string>>) {
    await project().write(file, program)
    const child = spawn(process.execPath, [project().path(file)], {
      env: { ...process.env, COUNTERSIGN_URL: service().running.url, ...env },
    })
    endWithTests(child)
    t.after(() => child.kill())
    let printed = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (printed += chunk))
    return { child, printed: () => printed }
  }
  const endOf = (child: ChildProcess) => new Promise((resolve) => child.on('close', resolve))

  test('a verification from the send to the code; management; a receiver of webhooks', async (t) => {
    const [verify, manage, receive, ...others] = await programsOf('../README.md')
    assert.ok(verify && manage && receive && others.length === 0)
    const { running, createApp, simulator } = service()
    const { key } = await createApp({ routing: { default: ['sms'] } })

    const recipient = newPhone()
    const here = verify.replace('+44 7400 123456', recipient)
    assert.notEqual(here, verify)
    const verifying = await start(t, 'verify.mjs', here, { COUNTERSIGN_KEY: key })
    const ended = endOf(verifying.child)
    verifying.child.stdin.write(`${codeIn((await simulator.arrived(recipient, 'sms')).text)}\n`)
    assert.equal(await ended, 0, verifying.printed())
    assert.match(verifying.printed(), /That is the code\.\n$/)

    const managing = await start(t, 'manage.mjs', manage, { ADMIN_TOKEN: running.adminToken })
    assert.equal(await endOf(managing.child), 0, managing.printed())
    assert.match(managing.printed(), /^otp_sk_\S+ 0\n$/)

    const secret = 'whsec_of_the_test'
    const receiving = await start(t, 'receive.mjs', receive, { WEBHOOK_SECRET: secret, PORT: '0' })
    const port = () => /listening on (\d+)/.exec(receiving.printed())?.[1]
    const url = `http://localhost:${await eventually('it listens', port, Boolean)}`
    const payload = { otpId: 'otp_1', status: 'approved' } as const
    const event = { id: 'evt_1', type: 'otp.approved', payload } as const
    const { rawBody, headers } = await webhooks.signTestPayload({ event, secret })
    const post = async (body: string) => (await fetch(url, { method: 'POST', headers, body })).status
    assert.deepEqual(
      [await post(rawBody), await post(rawBody), await post(rawBody.replace('otp_1', 'otp_2'))],
      [204, 204, 400],
    )
    assert.equal(receiving.printed().match(/approved otp_1/g)?.length, 1)
  })

  test('docs/sdks.md: two clicks on one form send one message, and a limit says when to come back', async (t) => {
    const [program, ...others] = await programsOf('../../../docs/sdks.md')
    assert.ok(program && others.length === 0)
    const limits = { recipient: [{ max: 1, window_s: 3600 }] }
    const { key } = await service().createApp({ routing: { default: ['sms'] }, limits })
    const recipient = JSON.stringify(newPhone())
    const clicks = `
      const [first, again] = [await start('form', ${recipient}), await start('form', ${recipient})]
      console.log(first.otpId === again.otpId, (await start('another', ${recipient})).retryAfter > 5)`
    const sending = await start(t, 'send.mjs', `${program}\n${clicks}`, { COUNTERSIGN_KEY: key })
    assert.equal(await endOf(sending.child), 0, sending.printed())
    assert.equal(sending.printed(), 'true true\n')
  })
})
