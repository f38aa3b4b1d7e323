/** Apps whose settings are changed through the management API. */
import assert from 'node:assert/strict'
import { appSettings } from '@countersign/contract'
import type { Answer } from './harness/node.ts'
import { startService } from './harness/service.ts'

// The contract's own test checks these value by value.
const { messages: _, autofill: __, routing, ...known } = appSettings.parse({})
/** An app without a setting for accounts shows the installation's. */
export const defaults = { routing: { ...routing, accounts: 'priority' }, ...known }

export type Body = Record<string, unknown>

export async function startSettings() {
  const { database, node, close } = await startService()
  const company = await node.manage('POST', '/companies', { name: 'Acme', balance: '10' })
  const companyId: string = company.body.company_id

  const create = (body: Body) => node.manage('POST', `/companies/${companyId}/apps`, body)
  const newApp = async (body: Body = {}): Promise<string> => {
    const made = await create({ name: 'Acme', ...body })
    assert.equal(made.status, 201, JSON.stringify(made.body))
    return made.body.app_id
  }
  const patch = (appId: string, body: unknown) => node.manage('PATCH', `/apps/${appId}`, body)
  /** The settings for routing, limits and codes; texts have their own suite. */
  const get = async (appId: string): Promise<Body> => {
    const { body } = await node.manage('GET', `/apps/${appId}`)
    return Object.fromEntries(Object.keys(defaults).map((name) => [name, body[name]]))
  }
  const pathsOf = (answer: Answer): string[] => {
    assert.equal(answer.status, 422, JSON.stringify(answer.body))
    assert.equal(answer.body.error.type, 'ValidationError')
    const fields: { path: string; message: string }[] = answer.body.error.details.fields
    for (const { message } of fields) assert.ok(message.length > 0)
    assert.ok(answer.body.error.message.includes(fields[0]?.path))
    return fields.map(({ path }) => path)
  }

  return { database, node, close, companyId, create, newApp, patch, get, pathsOf }
}
