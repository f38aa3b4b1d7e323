import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import { makeSecret, type Secrets, sign, signedHeaders } from './sign.ts'

const body = '{"id":"evt_01","type":"otp.approved","payload":{"otp_id":"otp_01","status":"approved"}}'
const nowMs = 1_735_689_600_999
const headersBy = (secrets: Secrets) => signedHeaders('evt_01', sign('evt_01', body, secrets, nowMs))

test('the known secret, timestamp and body give the known signature', () => {
  const headers = headersBy({ current: 'whsec_test_secret', previous: null })
  assert.equal(headers['X-Webhook-Timestamp'], '1735689600')
  assert.equal(
    headers['X-Webhook-Signature'],
    '14fd982b4162ed8d38f0cb9dd87e057c856d262b8d2f1e72b7c2658697c8a37a',
  )
  assert.equal('X-Webhook-Signature-Previous' in headers, false)
})

test('Standard Webhooks signs id, timestamp and body with the decoded bytes of the secret', () => {
  const key = Buffer.alloc(32, 7)
  const secret = `whsec_${key.toString('base64')}`
  const headers = headersBy({ current: secret, previous: null })
  const expected = createHmac('sha256', key).update(`evt_01.1735689600.${body}`).digest('base64')
  assert.equal(headers['webhook-id'], 'evt_01')
  assert.equal(headers['webhook-timestamp'], '1735689600')
  assert.equal(headers['webhook-signature'], `v1,${expected}`)
})

test('Standard Webhooks are keyed with the text of a secret that is not whsec_ and base64', () => {
  for (const secret of [
    'my-own-secret-of-some-length',
    'whsec_not.base64.but-long-enough',
    'whsec_QUJDREVGR0hJSktMTU5PU',
  ]) {
    const headers = headersBy({ current: secret, previous: null })
    const expected = createHmac('sha256', secret).update(`evt_01.1735689600.${body}`).digest('base64')
    assert.equal(headers['webhook-signature'], `v1,${expected}`)
  }
})

test('a previous secret signs beside the current one, each in its own place', () => {
  const [current, previous] = [makeSecret(), makeSecret()]
  const both = headersBy({ current, previous })
  const alone = (secret: string) => headersBy({ current: secret, previous: null })
  assert.equal(both['X-Webhook-Signature'], alone(current)['X-Webhook-Signature'])
  assert.equal(both['X-Webhook-Signature-Previous'], alone(previous)['X-Webhook-Signature'])
  assert.equal(
    both['webhook-signature'],
    `${alone(current)['webhook-signature']} ${alone(previous)['webhook-signature']}`,
  )
})

test('a secret is whsec_ and the base64 of 32 random bytes', () => {
  const secrets = Array.from({ length: 1_000 }, makeSecret)
  assert.equal(new Set(secrets).size, secrets.length)
  for (const secret of secrets) {
    assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
    assert.equal(Buffer.from(secret.slice(6), 'base64').length, 32)
  }
})
