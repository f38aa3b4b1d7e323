import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createCompanyBody, createKeyBody, webhookBody } from '@countersign/contract/bodies'
import { against, ownerOf, sayMissing, sayProblem, sayTwofold, sortProblems, withLabels } from './problems.ts'

describe('what is wrong with a form', () => {
  it('is what the contract says of its body, at the path of the field', () => {
    assert.deepEqual(against(createKeyBody)({ kind: 'server', name: 'Shop' }), [])
    assert.deepEqual(against(createKeyBody)({ kind: 'server', name: 'x'.repeat(61) }), [
      { path: 'name', message: 'must have at most 60 characters' },
    ])
    assert.deepEqual(against(webhookBody)({ url: 'https://example.com', signing_secret: 'short' }), [
      {
        path: 'signing_secret',
        message: 'must be 24 to 128 printable ASCII characters without blanks',
      },
    ])
    assert.deepEqual(against(createCompanyBody)({ name: ' ', balance: '-1' }), [
      { path: 'name', message: 'must not be empty' },
      { path: 'balance', message: 'must not be negative' },
    ])
  })

  it('is that something is missing where a field is empty, of whatever type it would be', () => {
    const body = { limits: [{ max: Number.NaN }], host: null, name: 'x' }
    const wrong = ['limits.0.max', 'host', 'name'].map((path) => ({ path, message: 'must be another' }))
    assert.deepEqual(
      sayMissing(wrong, body).map(({ message }) => message),
      ['is required', 'is required', 'must be another'],
    )
  })

  it('is that an amount can be read in two ways, with what to write', () => {
    const body = { name: 'Acme', balance: '1,000' }
    assert.deepEqual(sayTwofold(against(createCompanyBody)(body), body), [
      { path: 'balance', message: 'can be read in two ways: write 1000, or 1.000' },
    ])
  })

  it('stands beside the field that it is about or lies in, or beside the first one inside of it', () => {
    const names = ['limits.ip.0.max', 'limits.ip.0.window_s', 'geo.countries', 'geo']
    assert.equal(ownerOf('limits.ip.0.max', names), 'limits.ip.0.max')
    assert.equal(ownerOf('geo.countries.3', names), 'geo.countries')
    assert.equal(ownerOf('geo.mode', names), 'geo')
    assert.equal(ownerOf('limits.ip', names), 'limits.ip.0.max')
    assert.equal(ownerOf('limits.i', names), undefined)
    assert.equal(ownerOf('', names), undefined)
  })

  it('is never lost: what has no field is kept apart, and a field has its first problem', () => {
    const { beside, others } = sortProblems(
      [
        { path: 'name', message: 'must not be empty' },
        { path: 'name', message: 'must be another' },
        { path: 'secret', message: 'is required' },
      ],
      ['name'],
    )
    assert.deepEqual([...beside], [['name', 'must not be empty']])
    assert.deepEqual(others, [{ path: 'secret', message: 'is required' }])
  })

  it('is said as a sentence about the field, or in its own words where it has some', () => {
    assert.equal(sayProblem('Port', 'must be at most 65535'), 'Port must be at most 65535.')
    assert.equal(sayProblem('Password', 'is required'), 'Password is required.')
    assert.equal(sayProblem('Code', 'That is not the code. Try again.'), 'That is not the code. Try again.')
    const labelOf = (name: string) => (name === 'auth_name' ? 'Header' : undefined)
    assert.equal(withLabels('needs `auth_name` and `user`', labelOf), 'needs Header and user')
  })
})
