/** For each rule that can refuse: a send and a resend that it refuses. A new rule does not compile without its case. */
import assert from 'node:assert/strict'
import type { RuleName } from '@countersign/contract'
import { createTenant, freshPhone, resend, send, started, type Tenant, verify } from './harness/fixtures.ts'
import { writeIpSources } from './harness/ip-sources.ts'
import { type Answer, type Node, startNode } from './harness/node.ts'
import { attack, blockNumbers, createGrownTenant } from './harness/pumping.ts'
import { startService } from './harness/service.ts'
import { closeAll } from './harness/two-nodes.ts'
import { ruleOf } from './rules-support.ts'

const abusiveIp = '45.155.205.1'
const vpnIp = '8.8.4.4'
const usableIp = '8.8.8.8'
const sources = await writeIpSources([
  { class: 'abusive', text: `${abusiveIp}\n` },
  { class: 'vpn', text: `${vpnIp}\n` },
])
const service = await startService()
export const { database, node } = service
/** A node on the same database that knows which addresses are bad. */
const wary = await startNode(database.url, { capture: node.capture, ipSourcesFile: sources.file })
export const close = () => closeAll([wary, service, sources])

interface Refused {
  readonly tenant: Tenant
  readonly answer: Answer
  readonly otpId?: string
  readonly client_ip?: string
  /** `sms` unless it is given. */
  readonly channel?: null
  readonly masked?: string
}
type Scenario = () => Promise<Refused>

const caps = { spend_caps: { day_by_country: { default: '0.05' }, hour_unverified: 'off' } }
const limit = (scope: string, max: number) => ({ limits: { [scope]: [{ max, window_s: 600 }] } })

/** A send that is accepted, with settings that forbid a second one. */
const sendTwice = (
  settings: object,
  more: { on?: Node; client_ip?: string; again?: boolean } = {},
): Scenario => {
  const { on = node, client_ip, again = false } = more
  return async () => {
    const tenant = await createTenant(on, settings as Record<string, unknown>)
    const recipient = freshPhone()
    const from = client_ip ? { client_ip } : {}
    assert.equal((await send(on, tenant.serverKey, { recipient, ...from })).status, 200)
    const body = { recipient: again ? recipient : freshPhone(), ...from }
    return { tenant, answer: await send(on, tenant.serverKey, body), ...from }
  }
}

const resendAfter = (
  settings: object,
  more: {
    sentOn?: Node
    on?: Node
    client_ip?: string
    company?: Record<string, unknown>
    meanwhile?: (tenant: Tenant, otpId: string, code: string) => Promise<unknown>
    named?: string
    channel?: null
  } = {},
): Scenario => {
  const { sentOn = node, on = node, client_ip, company, meanwhile, named } = more
  return async () => {
    const tenant = await createTenant(node, { routing: { default: ['sms'] }, ...settings }, company)
    const from = client_ip ? { client_ip } : {}
    const { otpId, code } = await started(sentOn, tenant.serverKey, freshPhone(), from)
    await meanwhile?.(tenant, otpId, code)
    const answer = await resend(on, tenant.serverKey, otpId, named)
    return { tenant, answer, otpId, ...from, ...('channel' in more ? { channel: null } : {}) }
  }
}

async function pumped(sends: number) {
  const settings = { pumping: { mode: 'enforce' }, routing: { default: ['sms'] } }
  const tenant = await createGrownTenant(node, database, settings)
  return { tenant, ...(await attack(node, tenant.serverKey, blockNumbers('+99450310', sends))) }
}

/** An app's own rule that refuses all British recipients. */
const putRule = ({ appId }: Tenant) =>
  node.manage('PUT', `/apps/${appId}/rules`, {
    revision: 0,
    rules: [ruleOf({ when: { country: ['GB'] } })],
  })

/** `null` if the rule does not apply to such a call. Rules that never refuse are left out. */
export const scenarios: {
  readonly [Rule in Exclude<RuleName, 'limits' | 'account'>]: {
    readonly send: Scenario | null
    readonly resend: Scenario | null
  }
} = {
  paused: {
    send: async () => {
      const tenant = await createTenant(node)
      await node.manage('POST', `/apps/${tenant.appId}/pause`)
      return { tenant, answer: await send(node, tenant.serverKey, { recipient: freshPhone() }) }
    },
    resend: null,
  },
  recipient: {
    send: async () => {
      const tenant = await createTenant(node)
      const answer = await send(node, tenant.serverKey, { recipient: 'nobody at all' })
      return { tenant, answer, channel: null, masked: '****' }
    },
    resend: null,
  },
  geo: {
    send: async () => {
      const tenant = await createTenant(node, { geo: { mode: 'block', countries: ['GB'] } })
      return { tenant, answer: await send(node, tenant.serverKey, { recipient: freshPhone() }) }
    },
    resend: resendAfter(
      {},
      {
        meanwhile: ({ appId }) =>
          node.manage('PATCH', `/apps/${appId}`, { geo: { mode: 'block', countries: ['GB'] } }),
      },
    ),
  },
  ip_reputation: {
    send: async () => {
      const tenant = await createTenant(node)
      const body = { recipient: freshPhone(), client_ip: abusiveIp }
      return { tenant, answer: await send(wary, tenant.serverKey, body), client_ip: abusiveIp }
    },
    resend: resendAfter({}, { on: wary, client_ip: abusiveIp }),
  },
  exception: {
    send: async () => {
      const tenant = await createTenant(node)
      const recipient = freshPhone()
      await node.manage('POST', `/companies/${tenant.companyId}/exceptions`, { recipient, kind: 'blocked' })
      return { tenant, answer: await send(node, tenant.serverKey, { recipient }) }
    },
    resend: resendAfter(
      {},
      {
        meanwhile: (_tenant, otpId) =>
          node.manage('PUT', `/verifications/${otpId}/exception`, { kind: 'blocked' }),
      },
    ),
  },
  own_rule: {
    send: async () => {
      const tenant = await createTenant(node)
      await putRule(tenant)
      return { tenant, answer: await send(node, tenant.serverKey, { recipient: freshPhone() }) }
    },
    resend: resendAfter({}, { meanwhile: putRule }),
  },
  routing: {
    send: async () => {
      const tenant = await createTenant(node, { routing: { default: ['email'] } })
      const answer = await send(node, tenant.serverKey, { recipient: freshPhone() })
      return { tenant, answer, channel: null }
    },
    resend: resendAfter({}, { named: 'email', channel: null }),
  },
  pumping: {
    send: async () => {
      const { tenant, stopped } = await pumped(7)
      const [answer] = stopped
      assert.ok(answer)
      return { tenant, answer, client_ip: 'any', masked: '+994****33' }
    },
    resend: async () => {
      const { tenant, passed } = await pumped(6)
      const otpId: string = passed[0]?.body.otp_id
      const answer = await resend(node, tenant.serverKey, otpId)
      return { tenant, answer, otpId, client_ip: 'any', masked: '+994****11' }
    },
  },
  'limit.recipient': { send: sendTwice(limit('recipient', 1), { again: true }), resend: null },
  'limit.ip': {
    send: sendTwice(limit('ip', 1), { client_ip: usableIp }),
    resend: resendAfter(limit('ip', 1), { client_ip: usableIp }),
  },
  'limit.flagged_ip': {
    send: sendTwice(limit('flagged_ip', 1), { on: wary, client_ip: vpnIp }),
    resend: resendAfter(limit('flagged_ip', 1), { sentOn: wary, on: wary, client_ip: vpnIp }),
  },
  'limit.app': {
    send: sendTwice(limit('app', 1), { client_ip: usableIp }),
    resend: resendAfter(limit('app', 1), { client_ip: usableIp }),
  },
  'limit.app_without_ip': { send: sendTwice(limit('app_without_ip', 1)), resend: null },
  spend: { send: sendTwice(caps), resend: resendAfter(caps) },
  balance: {
    send: async () => {
      const tenant = await createTenant(node, {}, { balance: '0.01' })
      return { tenant, answer: await send(node, tenant.serverKey, { recipient: freshPhone() }) }
    },
    resend: resendAfter({}, { company: { balance: '0.05' } }),
  },
  pending: {
    send: null,
    resend: resendAfter(
      {},
      { meanwhile: ({ serverKey }, otpId, code) => verify(node, serverKey, otpId, code), channel: null },
    ),
  },
  cooldown: { send: null, resend: resendAfter({ resend_cooldown_s: 30 }) },
  send_attempts: { send: null, resend: resendAfter({ max_sends: 1 }) },
}
