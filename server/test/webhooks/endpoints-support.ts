/** An app with several webhook endpoints, and receivers that are closed with the service. */
import assert from 'node:assert/strict'
import { started, type Tenant, verify } from '../harness/fixtures.ts'
import { startService } from '../harness/service.ts'
import { type Received, type Receiver, signatureOf, startReceiver } from './receiver.ts'

export interface Made {
  readonly endpoint_id: string
  readonly url: string
  readonly types: string[] | null
  readonly status: string
  readonly held: number
  readonly signing_secret: string
}

export const typesAt = ({ calls }: Receiver) => calls.map(({ body }) => JSON.parse(body).type).sort()
export const isSignedBy = (call: Received, secret: string) =>
  call.headers['x-webhook-signature'] === signatureOf(call, secret)

export async function startEndpoints() {
  const { database, node, close } = await startService()
  const receivers: Receiver[] = []
  const receive = async (...given: Parameters<typeof startReceiver>): Promise<Receiver> => {
    const receiver = await startReceiver(...given)
    receivers.push(receiver)
    return receiver
  }
  const pathOf = ({ appId }: Tenant) => `/apps/${appId}/webhooks`
  const add = async (tenant: Tenant, body: object): Promise<Made> => {
    const made = await node.manage('POST', pathOf(tenant), body)
    assert.equal(made.status, 201, JSON.stringify(made.body))
    return made.body
  }
  const show = async (tenant: Tenant, { endpoint_id }: Made): Promise<Made> =>
    (await node.manage('GET', `${pathOf(tenant)}/${endpoint_id}`)).body
  const list = async (tenant: Tenant): Promise<Made[]> =>
    (await node.manage('GET', pathOf(tenant))).body.webhooks
  const eventsOf = async (tenant: Tenant, query = '') => {
    const answer = await node.manage('GET', `/apps/${tenant.appId}/events${query}`)
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    return answer.body.events
  }
  const fail = async (tenant: Tenant): Promise<void> => {
    const { otpId, code } = await started(node, tenant.serverKey)
    const wrong = code === '000000' ? '111111' : '000000'
    for (let time = 0; time < 5; time++) await verify(node, tenant.serverKey, otpId, wrong)
  }

  return {
    database,
    node,
    receive,
    pathOf,
    add,
    show,
    list,
    eventsOf,
    fail,
    close: async () => {
      await close()
      await Promise.all(receivers.map((receiver) => receiver.close()))
    },
  }
}
