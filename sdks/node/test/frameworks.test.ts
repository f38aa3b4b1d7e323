/** The handlers of docs/webhooks.md, run as they are written there, with the packed library and the real frameworks. */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { createServer, type RequestListener, type Server } from 'node:http'
import { after, before, describe, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { usePackedNode } from '../../packed-project.ts'
import { webhooks } from '../src/index.ts'

type Answer = (request: Request) => Promise<Response>
interface Handler {
  readonly app: RequestListener & {
    readonly fetch: Answer
    readonly ready: () => Promise<void>
    readonly server: Server
  }
  readonly POST: Answer
}

const secret = 'whsec_of_the_test'
const { WEBHOOK_SECRET: outside } = process.env

/** How to send a request to the handler of each framework. */
const asked: Record<string, (handler: Handler) => Promise<{ ask: Answer; close?: () => void }>> = {
  express: async ({ app }) => listen(createServer(app)),
  fastify: async ({ app }) => {
    await app.ready()
    return listen(app.server)
  },
  next: async ({ POST }) => ({ ask: POST }),
  hono: async ({ app }) => ({ ask: async (request) => app.fetch(request) }),
}

async function listen(server: Server) {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  assert.ok(typeof address === 'object' && address !== null)
  const ask: Answer = async (request) => {
    const { method, headers } = request
    return fetch(`http://127.0.0.1:${address.port}/webhooks`, { method, headers, body: await request.text() })
  }
  return {
    ask,
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

// In a group, since hooks of a group run one after the other; those of a file that runs alone do not.
describe('the handlers of docs/webhooks.md', () => {
  const project = usePackedNode()

  before(async () => {
    process.env.WEBHOOK_SECRET = secret
    await project().lend('express', 'fastify', 'hono')
    const text = await readFile(new URL('../../../docs/webhooks.md', import.meta.url), 'utf8')
    for (const [, file = '', code = ''] of text.matchAll(/^```js\n\/\/ ([a-z]+\.mjs)\n(.*?)^```$/gms))
      await project().write(file, code)
  })
  after(() => {
    if (outside === undefined) delete process.env.WEBHOOK_SECRET
    else process.env.WEBHOOK_SECRET = outside
  })

  for (const [name, open] of Object.entries(asked)) {
    test(`${name}: an event is taken once, and what the service did not sign is 400`, async (t) => {
      const handler: Handler = await import(pathToFileURL(project().path(`${name}.mjs`)).href)
      const { ask, close } = await open(handler)
      t.after(() => close?.())
      const payload = { otpId: `otp_${name}`, status: 'approved' } as const
      const event = { id: `evt_${name}`, type: 'otp.approved', payload } as const
      const { rawBody, headers } = await webhooks.signTestPayload({ event, secret })
      const told: unknown[] = []
      t.mock.method(console, 'log', (...words: unknown[]) => told.push(words))
      const post = async (body: string, signed: Record<string, string>) =>
        (await ask(new Request('http://shop.example/webhooks', { method: 'POST', headers: signed, body })))
          .status
      assert.equal(await post(rawBody, headers), 204)
      assert.equal(await post(rawBody, headers), 204)
      assert.equal(await post(rawBody.replace('otp.approved', 'otp.failed'), headers), 400)
      assert.equal(await post(rawBody, { 'content-type': 'application/json' }), 400)
      assert.deepEqual(told, [['approved', `otp_${name}`]])
    })
  }
})
