/** Twilio's own client, pointed here by its own setting; each answer is checked against Twilio's description. */
import assert from 'node:assert/strict'
import twilio from 'twilio'
import { type createTenant, message } from '../harness/fixtures.ts'
import type { Node } from '../harness/node.ts'
import { assertDescribed } from './description.ts'

type Tenant = Awaited<ReturnType<typeof createTenant>>

export async function clientFor(node: Node, tenant: Pick<Tenant, 'appId' | 'serverKey'>) {
  const { body: app } = await node.manage('GET', `/apps/${tenant.appId}`)
  const httpClient = new twilio.RequestClient()
  const request = httpClient.request.bind(httpClient)
  httpClient.request = async (options) => {
    const answer = await request(options)
    const body = typeof answer.body === 'string' ? JSON.parse(answer.body) : answer.body
    assertDescribed(options.method, options.uri, answer.statusCode, body)
    return answer
  }
  const client = twilio(app.twilio_account_sid, tenant.serverKey, { httpClient })
  client.verify.baseUrl = `${node.baseUrl}/twilio`
  return { client, service: client.verify.v2.services(app.twilio_service_sid), sid: app.twilio_service_sid }
}

/** Checks the error that the client throws for a refusal. */
export async function refused(
  call: Promise<unknown>,
  status: number,
  code: number,
): Promise<{ message: string; moreInfo: string }> {
  const error = await call.then(
    (answer) => assert.fail(`was not refused: ${JSON.stringify(answer)}`),
    (thrown) => thrown,
  )
  assert.deepEqual([error.status, error.code], [status, code], error.message)
  assert.equal(error.moreInfo, `https://www.twilio.com/docs/errors/${code}`)
  return error
}

export const codeFor = async (node: Node, to: string, index = 0) => (await message(node, to, index)).code
