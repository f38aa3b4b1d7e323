/** Apps with their own rules, on nodes that know an address of every class. */
import assert from 'node:assert/strict'
import type { RuleAction, RuleConditions } from '@countersign/contract'
import { createTenant, type Tenant } from './harness/fixtures.ts'
import type { Answer, Node } from './harness/node.ts'

export interface Draft {
  readonly rule_id?: string
  readonly name?: string
  readonly mode?: 'off' | 'shadow' | 'on'
  readonly when?: RuleConditions
  readonly then?: RuleAction
}

let count = 0
export const ruleOf = (draft: Draft) => ({
  name: `Rule ${++count}`,
  mode: 'on' as const,
  when: {},
  then: { action: 'refuse' as const },
  ...draft,
})

export async function putRules(node: Node, appId: string, drafts: readonly Draft[]): Promise<Answer> {
  const { body } = await node.manage('GET', `/apps/${appId}/rules`)
  const put = await node.manage('PUT', `/apps/${appId}/rules`, {
    revision: body.revision,
    rules: drafts.map(ruleOf),
  })
  assert.equal(put.status, 200, JSON.stringify(put.body))
  return put
}

export async function tenantWith(
  node: Node,
  drafts: readonly Draft[],
  settings: Record<string, unknown> = {},
): Promise<Tenant> {
  const tenant = await createTenant(node, settings)
  await putRules(node, tenant.appId, drafts)
  return tenant
}

const hourMs = 3_600_000
/** The hour before now and the one after it. */
export const period = () => ({
  from: new Date(Date.now() - hourMs).toISOString(),
  to: new Date(Date.now() + hourMs).toISOString(),
})

export const backtestOn =
  (node: Node) =>
  async ({ appId }: Tenant, drafts: readonly Draft[], more: object = {}) => {
    const rules = drafts.map(ruleOf)
    const answer = await node.manage('POST', `/apps/${appId}/rules/backtest`, { rules, ...period(), ...more })
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    return answer.body
  }

export const previewOf = async (node: Node, key: string, body: Record<string, unknown>) =>
  (await node.call('POST', '/api/v1/routing/preview', { key, body })).body

interface SaidRule {
  readonly rule: string
  readonly outcome: string
  readonly why: string
  readonly facts: { readonly name: string; readonly action: string; readonly effect: string }
}

export const ownRulesIn = (rules: readonly SaidRule[]) => rules.filter(({ rule }) => rule === 'own_rule')

/** What the last decision of a verification says about the app's own rules. */
export async function saidOf(node: Node, key: string, otpId: string): Promise<SaidRule[]> {
  const { body } = await node.call('GET', `/api/v1/otp/${otpId}/decision`, { key })
  return ownRulesIn(body.decisions.at(-1).rules)
}
