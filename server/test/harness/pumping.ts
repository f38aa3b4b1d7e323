/** A small attack, and its outcome. */
import { noDebt } from '../../src/domain/guard/pumping/debt/debt.ts'
import { longestTrial } from '../../src/domain/guard/pumping/levels.ts'
import { encodeDebt } from '../../src/domain/guard/pumping/stored/debt-text.ts'
import { rowText } from '../../src/domain/guard/pumping/stored/state-text.ts'
import type { TestDatabase } from './database.ts'
import { createTenant, send, type Tenant } from './fixtures.ts'
import type { Answer, Node } from './node.ts'

/** A tenant whose app is past its trial, so that its first numbers are watched like any others. */
export async function createGrownTenant(
  node: Node,
  database: TestDatabase,
  settings: Record<string, unknown>,
): Promise<Tenant> {
  const tenant = await createTenant(node, settings)
  const state = rowText([['', encodeDebt('trial', { ...noDebt, numbers: longestTrial })]])
  await database.query(
    `insert into pumping_states (company_id, app_id, row_key, state, expires_at)
     values ($1, '', 'trial', $2, now() + interval '10 years')`,
    [tenant.companyId, state],
  )
  return tenant
}

let addresses = 0
/** A new residential address for each request, as attackers rent them. */
export const freshAddress = () => {
  addresses++
  return `86.${10 + (addresses >> 16)}.${(addresses >> 8) & 255}.${1 + (addresses & 127)}`
}

/** Numbers of one range of ten thousand in Azerbaijan, spread over its smaller ranges. */
export const blockNumbers = (prefix: string, count: number): string[] =>
  Array.from(
    { length: count },
    (_, index) => `${prefix}${String((index * 1_037 + 11) % 10_000).padStart(4, '0')}`,
  )

export async function attack(
  node: Node,
  key: string,
  numbers: readonly string[],
): Promise<{ passed: Answer[]; stopped: Answer[] }> {
  const answers: Answer[] = []
  for (const recipient of numbers)
    answers.push(await send(node, key, { recipient, client_ip: freshAddress() }))
  return {
    passed: answers.filter((answer) => answer.status === 200),
    stopped: answers.filter((answer) => answer.status !== 200),
  }
}

export const pumpingRule = async (node: Node, key: string, otpId: string) => {
  const { body } = await node.call('GET', `/api/v1/otp/${otpId}/decision`, { key })
  return body.decisions.at(-1).rules.find((rule: { rule: string }) => rule.rule === 'pumping')
}

export const enforce = { pumping: { mode: 'enforce' } }
export const withLink = {
  ...enforce,
  routing: { default: ['sms', 'whatsapp'] },
  channels: { whatsapp: { mode: 'link_inbound' } },
}
/** Messages that strangers in one range of 10,000 may get if the app knows nobody and no smaller range is full. */
export const spentByBlock = 6
