import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openApp } from './app.ts'
import { call } from './calls.ts'
import { needs, useInstance } from './instance.ts'
import { newEmail } from './people.ts'

const instance = useInstance()

const bodies = {
  '/otp/send': () => ({ recipient: newEmail() }),
  '/otp/resend': () => ({ otp_id: 7 }),
  '/verifications/exchange': () => ({ verification_token: 7 }),
}

describe('9 Versioning', { concurrency: 4 }, () => {
  for (const [path, newBody] of Object.entries(bodies)) {
    test(`9 ${path} is under /api/v1, and nowhere without it`, needs('app'), async () => {
      const { key } = (await openApp(instance())).server
      const { url } = instance()
      const versioned = await call(`${url}/api/v1${path}`, { key, body: newBody() })
      assert.ok([200, 422].includes(versioned.status), versioned.text)
      for (const prefix of ['', '/api', '/v1']) {
        assert.equal((await call(`${url}${prefix}${path}`, { key, body: newBody() })).status, 404, prefix)
      }
    })
  }
})
