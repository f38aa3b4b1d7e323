/** Every condition of an app's own rule, where it holds and where not. A new one without cases does not compile. */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import type { RuleConditionName, RuleConditions } from '@countersign/contract'
import {
  createApp,
  createTenant,
  freshEmail,
  freshPhone,
  send,
  started,
  type Tenant,
  until,
  verify,
} from './harness/fixtures.ts'
import { assertRefused } from './harness/refusals.ts'
import { type Draft, putRules } from './rules-support.ts'
import { listed, startSendService } from './send-support.ts'

const { node, close } = await startSendService()
after(close)

interface Try {
  readonly recipient?: string
  readonly client_ip?: string
  readonly key?: 'server' | 'publishable'
  /** Earlier sends: to the same recipient, from the same address, or of the app. */
  readonly before?: (tenant: Tenant, recipient: string) => Promise<void>
}

interface Case {
  readonly when: RuleConditions
  readonly holds: readonly Try[]
  readonly fails: readonly Try[]
}

const homeIp = '81.2.69.142'
const french = '+33612345678'
const email = (domain: string) => `${freshEmail().split('@')[0]}@${domain}`
const hour = new Date().getUTCHours()
const hourAfter = (hours: number) => (hour + hours) % 24

const sent =
  (times: number, more: Record<string, unknown> = {}, other = false) =>
  async ({ serverKey }: Tenant, recipient: string) => {
    for (let round = 0; round < times; round++) {
      const body = { recipient: other ? freshPhone() : recipient, ...more }
      assert.equal((await send(node, serverKey, body)).status, 200)
    }
  }

async function approved({ serverKey }: Tenant, recipient: string): Promise<void> {
  const { otpId, code } = await started(node, serverKey, recipient)
  assert.equal((await verify(node, serverKey, otpId, code)).body.status, 'approved')
}

/** By another app of the same company. */
const approvedElsewhere = async ({ companyId }: Tenant, recipient: string) =>
  approved(await createApp(node, companyId), recipient)

const cases: Readonly<Record<RuleConditionName, readonly Case[]>> = {
  country: [
    {
      when: { country: ['FR', 'DE'] },
      holds: [{ recipient: french }],
      fails: [{}, { recipient: email('a.fr') }],
    },
  ],
  channel: [
    { when: { channel: ['sms'] }, holds: [{}], fails: [{ recipient: freshEmail() }] },
    { when: { channel: ['email', 'telegram'] }, holds: [{ recipient: freshEmail() }], fails: [{}] },
  ],
  recipient_type: [
    { when: { recipient_type: ['email'] }, holds: [{ recipient: freshEmail() }], fails: [{}] },
  ],
  email_domain: [
    {
      when: { email_domain: ['example.com', 'xyz'] },
      holds: [
        { recipient: freshEmail() },
        { recipient: email('mail.example.com') },
        { recipient: email('a.xyz') },
      ],
      fails: [{}, { recipient: email('notexample.com') }, { recipient: email('example.com.de') }],
    },
  ],
  prefix: [
    {
      when: { prefix: ['+3361', '+447400'] },
      holds: [{ recipient: french }, {}],
      fails: [{ recipient: '+33712345678' }],
    },
    { when: { prefix: ['+3'] }, holds: [{ recipient: french }], fails: [{}, { recipient: freshEmail() }] },
  ],
  ip_class: [
    ...Object.entries(listed).map(([name, client_ip]) => ({
      when: { ip_class: [name] } as RuleConditions,
      holds: [{ client_ip }],
      fails: [{}, { client_ip: homeIp }],
    })),
    {
      when: { ip_class: ['unlisted'] },
      holds: [{ client_ip: homeIp }],
      fails: [{}, { client_ip: listed.vpn }],
    },
    {
      when: { ip_class: ['none'] },
      holds: [{}, { client_ip: '10.0.0.1' }],
      fails: [{ client_ip: homeIp }, { client_ip: listed.vpn }],
    },
  ],
  ip_country: [
    {
      when: { ip_country: ['GB', 'FR'] },
      holds: [{ client_ip: homeIp }, { client_ip: homeIp, recipient: freshEmail() }],
      fails: [{}, { client_ip: '10.0.0.1' }, { client_ip: listed.vpn }, { client_ip: listed.hosting }],
    },
    { when: { ip_country: ['SE'] }, holds: [{ client_ip: listed.vpn }], fails: [{ client_ip: homeIp }] },
  ],
  key_kind: [
    { when: { key_kind: ['publishable'] }, holds: [{ key: 'publishable' }], fails: [{}] },
    { when: { key_kind: ['server'] }, holds: [{}], fails: [{ key: 'publishable' }] },
  ],
  known: [
    {
      when: { known: true },
      holds: [{ before: approved }],
      fails: [{}, { before: sent(1) }, { before: approvedElsewhere }],
    },
    {
      when: { known: [false] },
      holds: [{}, { before: sent(1) }, { before: approvedElsewhere }],
      fails: [{ before: approved }],
    },
  ],
  sends_of_recipient: [
    {
      when: { sends_of_recipient: { gte: 2, window_s: 600 } },
      holds: [{ before: sent(2) }],
      fails: [{}, { before: sent(1) }, { before: sent(3, {}, true) }],
    },
    { when: { sends_of_recipient: { lte: 0, window_s: 600 } }, holds: [{}], fails: [{ before: sent(1) }] },
  ],
  sends_of_address: [
    {
      when: { sends_of_address: { gte: 2, lte: 3, window_s: 600 } },
      holds: [{ client_ip: homeIp, before: sent(2, { client_ip: homeIp }, true) }],
      fails: [
        { client_ip: homeIp, before: sent(1, { client_ip: homeIp }, true) },
        { client_ip: homeIp, before: sent(2, { client_ip: '81.2.69.143' }, true) },
        { before: sent(2, { client_ip: homeIp }, true) },
        { before: sent(3) },
      ],
    },
  ],
  sends_of_app: [
    {
      when: { sends_of_app: { gte: 3, window_s: 600 } },
      holds: [{ before: sent(3, {}, true) }],
      fails: [{ before: sent(2, {}, true) }],
    },
  ],
  price: [
    { when: { price: { gte: '0.05' } }, holds: [{}], fails: [{ recipient: freshEmail() }] },
    { when: { price: { lte: '0.049' } }, holds: [{ recipient: freshEmail() }], fails: [{}] },
    { when: { price: { gte: '0.05', lte: '0.050000' } }, holds: [{}], fails: [{ recipient: freshEmail() }] },
  ],
  hour: [
    { when: { hour: { gte: hourAfter(23), lte: hourAfter(1) } }, holds: [{}], fails: [] },
    { when: { hour: { gte: hourAfter(8), lte: hourAfter(16) } }, holds: [], fails: [{}] },
  ],
}

/** The rule is in shadow mode during earlier sends, and counts nevertheless. */
const named = { name: 'The rule', then: { action: 'refuse' } } as const
const inShadow = (when: RuleConditions): Draft => ({ ...named, mode: 'shadow', when })

async function tried(when: RuleConditions, { before, key = 'server', ...body }: Try) {
  const tenant = await createTenant(node)
  const shadow = await putRules(node, tenant.appId, [inShadow(when)])
  const recipient = body.recipient ?? freshPhone()
  await before?.(tenant, recipient)
  const { rule_id } = shadow.body.rules[0]
  await putRules(node, tenant.appId, [{ ...named, rule_id, when }])
  return send(node, key === 'server' ? tenant.serverKey : tenant.publishableKey, { ...body, recipient })
}

describe('a rule of one’s own', () => {
  for (const [name, list] of Object.entries(cases)) {
    for (const { when, holds, fails } of list) {
      it(`is for a send where ${name} holds, and for no other: ${JSON.stringify(when)}`, async () => {
        await Promise.all([
          ...holds.map(async (one) => {
            const answer = await tried(when, one)
            assertRefused(answer, 403, 'RuleBlockedError')
            assert.deepEqual(answer.body.error.details, { rule: 'The rule' })
          }),
          ...fails.map(async (one) => {
            const answer = await tried(when, one)
            const type = answer.body.error?.type
            assert.ok(answer.status === 200 || type !== 'RuleBlockedError', JSON.stringify(one))
          }),
        ])
      })
    }
  }

  it('is for a send where all of its conditions hold, and without any for every send', async () => {
    const both: RuleConditions = { country: ['FR'], ip_class: ['none'] }
    assertRefused(await tried(both, { recipient: french }), 403, 'RuleBlockedError')
    assert.equal((await tried(both, { recipient: french, client_ip: homeIp })).status, 200)
    assert.equal((await tried(both, {})).status, 200)
    assertRefused(await tried({}, {}), 403, 'RuleBlockedError')
  })

  it('counts sends only in its window', async () => {
    const when: RuleConditions = { sends_of_recipient: { gte: 1, window_s: 1 } }
    const tenant = await createTenant(node)
    await putRules(node, tenant.appId, [{ when }])
    const recipient = freshPhone()
    assert.equal((await send(node, tenant.serverKey, { recipient })).status, 200)
    const again = async () => (await send(node, tenant.serverKey, { recipient })).status === 200
    await until('the window to be over', again)
  })
})
