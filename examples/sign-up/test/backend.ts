/** The backend of the example: what it trusts, and how it is started. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { newEmail, newPhone } from '../../../e2e/harness/people.ts'
import { codeIn } from '../../../e2e/harness/simulator.ts'
import { eventually } from '../../../e2e/harness/wait.ts'
import { webhooks } from '../../../sdks/node/src/index.ts'
import { answer, drop, serve } from '../../../sdks/node/test/scripted-server.ts'
import { type Example, startExample, startExampleAt, startExampleInSandbox } from './example.ts'
import { service, stage } from './stage.ts'

interface Answer {
  readonly status: number
  readonly cookie: string
  readonly body: { otpId?: string; recipient?: string; type?: string }
}

/** Sends what a browser would send, or somebody who imitates one. */
const browserOf =
  (example: () => Example) =>
  async (path: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer> => {
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    const response = await fetch(`${example().url}${path}`, { method: 'POST', headers, body: text })
    const [cookie = ''] = (response.headers.get('set-cookie') ?? '').split(';')
    return { status: response.status, cookie, body: (await response.json()) as Answer['body'] }
  }

const publishableKey = async ({ url }: Example): Promise<string> =>
  ((await (await fetch(`${url}/config.json`)).json()) as { key: string }).key

export const describeBackend = () =>
  describe('the backend', { concurrency: true }, () => {
    describe('the backend believes nobody', { concurrency: true }, () => {
      let example: Example
      const post = browserOf(() => example)
      before(async () => {
        const app = await service().createApp({
          routing: { default: ['whatsapp', 'sms'] },
          channels: { whatsapp: { mode: 'link_inbound' } },
        })
        example = await startExample(stage().project, service(), app)
      })
      after(() => example?.stop())
      const start = (recipient: string, formId: string) => post('/start', { recipient, formId, locale: 'en' })

      test('without a session, with a made-up token, or before the approval there is no account', async () => {
        assert.equal((await post('/sign-up', {})).status, 401)
        const { status, cookie } = await start(newPhone(), newEmail())
        assert.equal(status, 200)
        assert.equal((await post('/sign-up', {}, { cookie })).status, 409)
        assert.equal(
          (await post('/sign-up', { verificationToken: 'otp_vt_made_up' }, { cookie })).status,
          404,
        )
        assert.equal((await post('/sign-up', 'nonsense', { cookie })).status, 400)
      })

      test('one form is one verification, but never that of another recipient', async () => {
        const form = newEmail()
        const [mine, victim] = [newPhone(), newPhone()]
        const first = await start(mine, form)
        assert.equal((await start(mine, form)).body.otpId, first.body.otpId)

        const { body } = await service().caller.call<{ action_url: string }>(
          'GET',
          `/api/v1/otp/${first.body.otpId}`,
          { key: await publishableKey(example) },
        )
        const { pathname, searchParams } = new URL(body.action_url)
        await service().simulator.write(mine, `+${pathname.slice(1)}`, searchParams.get('text') ?? '')
        const approved = await eventually(
          'the approval',
          () => post('/sign-up', {}, { cookie: first.cookie }),
          ({ status }) => status === 200,
        )
        assert.equal(approved.body.recipient, mine)

        const attack = await start(victim, form)
        assert.notEqual(attack.body.otpId, first.body.otpId)
        assert.equal((await post('/sign-up', {}, { cookie: attack.cookie })).status, 409)
      })

      test('a webhook that the service did not sign is refused', async () => {
        const event = {
          id: 'evt_1',
          type: 'otp.approved',
          payload: { otpId: 'otp_1', status: 'approved' },
        } as const
        assert.equal((await post('/webhooks', event)).status, 400)
        const { rawBody, headers } = await webhooks.signTestPayload({
          event,
          secret: 'whsec_of_somebody_else',
        })
        assert.equal((await post('/webhooks', rawBody, headers)).status, 400)
        assert.doesNotMatch(example.printed(), /otp_1\b/)
      })

      test('the page is told no secret', async () => {
        for (const path of [
          '/config.json',
          '/',
          '/page.js',
          '/countersign.js',
          '/server.mjs',
          '/../server.mjs',
        ])
          assert.doesNotMatch(await (await fetch(`${example.url}${path}`)).text(), /otp_sk_\w|whsec_\w/)
      })
    })

    test('what is no answer of the service is no success for the page, and is told to whoever runs the backend', async (t) => {
      const pages = [200, 302, 404].map((status) => answer(status, '<html>'))
      const elsewhere = await serve(t, ...pages, drop)
      const example = await startExampleAt(stage().project, elsewhere.url)
      t.after(example.stop)
      const post = browserOf(() => example)
      for (const problem of ['(200). Is', '(302). Is', '(404). Is', 'No answer from']) {
        const { status } = await post('/start', { recipient: newPhone(), formId: newEmail() })
        assert.equal(status, 500, problem)
        await eventually('the problem in the terminal', () => example.printed().includes(problem), Boolean)
      }
    })

    // One at a time, since they all set the webhook of the first app.
    describe('against the sandbox of npm start', { concurrency: false }, () => {
      test('it needs nothing but the command, also the second time and on another port', async () => {
        for (const time of [1, 2]) {
          const example = await startExampleInSandbox(stage().project, service())
          try {
            await signUp(example)
            await eventually(
              'the webhook',
              () => example.printed().includes('webhook: otp.approved'),
              Boolean,
            )
          } finally {
            example.stop()
          }
          assert.match(
            example.printed(),
            /^Sign up at http:\/\/localhost:\d+\nCodes arrive at /,
            String(time),
          )
        }
      })

      test('a second one on the same port says what is wrong, and leaves the first one its webhooks', async () => {
        const example = await startExampleInSandbox(stage().project, service())
        try {
          // Twice, since for a day the service also signs with the secret from before a rotation.
          for (const _ of [1, 2])
            await assert.rejects(startExampleInSandbox(stage().project, service(), example.port), {
              message: `the example ended:\nPort ${example.port} cannot be used (EADDRINUSE). EXAMPLE_PORT names another.\n`,
            })
          await signUp(example)
          await eventually('the webhook', () => example.printed().includes('webhook: otp.approved'), Boolean)
        } finally {
          example.stop()
        }
      })

      /** What the page does, in three calls. */
      async function signUp(example: Example): Promise<void> {
        const { simulator, caller } = service()
        const post = browserOf(() => example)
        const recipient = newPhone()
        const started = await post('/start', { recipient, formId: newEmail(), locale: 'en' })
        const code = codeIn((await simulator.arrived(recipient, 'sms')).text)
        const verified = await caller.call<{ verification_token: string }>('POST', '/api/v1/otp/verify', {
          key: await publishableKey(example),
          body: { otp_id: started.body.otpId, code },
        })
        const { verification_token: verificationToken } = verified.body
        const { body } = await post('/sign-up', { verificationToken }, { cookie: started.cookie })
        assert.deepEqual(body, { recipient })
      }
    })
  })
