import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Operation, operations } from '@countersign/contract'
import { changesOf } from './recorded-changes.ts'

const hidden = '(not recorded)'

describe('what the audit trail shows of a body', () => {
  it('is masked of a recipient, and nothing of a text that is none', () => {
    const operation: Operation = operations.inviteMember
    assert.deepEqual(changesOf(operation, { email: 'ada@example.com', role: 'viewer' }), {
      email: 'a****@example.com',
      role: 'viewer',
    })
    assert.deepEqual(changesOf(operation, { email: 'my password', role: 'viewer', unheard: 'of' }), {
      email: hidden,
      role: 'viewer',
      unheard: hidden,
    })
  })

  it('is the host and the path of an address, and nothing of one that is not http', () => {
    const shown = (url: string) => changesOf(operations.putWebhook, { url }).url
    assert.equal(shown('https://user:pass@example.com/hook?key=1#part'), 'https://example.com/hook')
    for (const url of ['javascript:alert(1)', 'not a url', 'data:text/plain,secret'])
      assert.equal(shown(url), hidden, url)
  })

  it('is bounded: a hundred fields, and of a long name its first 64 characters', () => {
    const many = Object.fromEntries(Array.from({ length: 150 }, (_, index) => [`field_${index}`, index]))
    assert.equal(Object.keys(changesOf(operations.putWebhook, many)).length, 100)
    assert.deepEqual(changesOf(operations.putWebhook, { ['x'.repeat(200)]: 1 }), { ['x'.repeat(64)]: hidden })
  })

  it('is nothing of a body that has no fields', () => {
    for (const body of [undefined, null, 'text', 7, ['a', 'list']])
      assert.deepEqual(changesOf(operations.putWebhook, body), {})
  })
})
