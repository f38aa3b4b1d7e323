/** Nodes whose text messages go through accounts that answer as the test says. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import type { SendOutcome } from '../src/channels/channel.ts'
import type { Provider } from '../src/domain/routing/index.ts'
import { masterKeys } from './deliveries-support.ts'
import { Capture } from './harness/capture.ts'
import { createTestDatabase } from './harness/database.ts'
import { createTenant, freshPhone, send, until } from './harness/fixtures.ts'
import { type Node, startNode } from './harness/node.ts'

export const broken: SendOutcome = {
  kind: 'broken',
  error: { code: 'credentials', message: 'Wrong password.' },
}
export const busy: SendOutcome = {
  kind: 'retry',
  error: { code: 'busy', message: 'Not now.' },
  afterSeconds: null,
}
export const no: SendOutcome = { kind: 'refused', error: { code: 'no', message: 'Not by this account.' } }
export const gone: SendOutcome = {
  kind: 'unreachable',
  error: { code: 'gone', message: 'Nobody has this number.' },
}
export const accepted = (): SendOutcome => ({ kind: 'accepted', messageId: randomBytes(6).toString('hex') })

export async function startAccounts() {
  const database = await createTestDatabase()

  /** A node whose text messages go through these accounts in this order, each with its answer. */
  async function withAccounts(
    answers: Record<string, () => SendOutcome>,
    run: (node: Node, calls: string[]) => Promise<void>,
    change: (provider: Provider) => Provider = (provider) => provider,
  ): Promise<void> {
    const calls: string[] = []
    const [model] = new Capture().providers(['sms'])
    assert.ok(model)
    const providers = Object.entries(answers).map(([providerId, answer], index) =>
      change({
        ...model,
        providerId,
        priority: index,
        account: {
          send: async () => {
            calls.push(providerId)
            return answer()
          },
          close: async () => {},
        },
      }),
    )
    const node = await startNode(database.url, { masterKeys, builtIn: () => providers })
    try {
      await run(node, calls)
    } finally {
      await node.close()
    }
  }
  async function sendAndSettle(node: Node) {
    const tenant = await createTenant(node, { routing: { default: ['sms'] } })
    const { body } = await send(node, tenant.serverKey, { recipient: freshPhone() })
    const row = await until('a settled delivery', async () => {
      const [found] = await database.query<{
        status: string
        provider_id: string
        tried: string[]
        charge: string
        error_code: string | null
        took_s: number | null
      }>(
        `select status, provider_id, tried, charge, error_code, extract(epoch from sent_at - created_at)::float as took_s
           from deliveries where otp_id = $1`,
        [body.otp_id],
      )
      return found?.status !== 'queued' && found
    })
    const { body: company } = await node.manage('GET', `/companies/${tenant.companyId}`)
    return { ...row, otpId: body.otp_id as string, balance: company.balance as string }
  }

  return { database, withAccounts, sendAndSettle, close: database.close }
}
