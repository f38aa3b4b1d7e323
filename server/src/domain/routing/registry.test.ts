import assert from 'node:assert/strict'
import { EventEmitter, once } from 'node:events'
import { test } from 'node:test'
import { type AnyKind, providerKinds } from '../../channels/index.ts'
import type { Database } from '../../platform/database.ts'
import { Keyring } from '../../platform/keyring.ts'
import { createSafeDoor } from '../../platform/safe-post.ts'
import { makeQueryable, type RunStatement } from '../../platform/tenant.ts'
import { createRegistry, secretsContext } from './registry.ts'

const keyring = new Keyring([{ id: 1, secret: Buffer.alloc(32, 1), activeFromMs: 0 }])
const settings = { host: 'smsc.example.com', port: 2775, tls: false, system_id: 'us', source_addr: '123' }
const { smpp } = providerKinds
const secrets = keyring.seal(1, JSON.stringify({ password: 'x' }), secretsContext('prv_1', smpp, settings))
const row = { company_id: 'operator', provider_id: 'prv_1', channel: 'sms', kind: 'smpp', settings, secrets }

test('an account that is read while the registry closes is not opened any more', async () => {
  let opened = 0
  const kind: AnyKind = {
    ...smpp,
    open: () => {
      opened++
      return { send: async () => assert.fail('nothing is sent'), close: async () => {} }
    },
  }
  const asked = new EventEmitter()
  const run = async () => {
    asked.emit('query')
    await once(asked, 'answer')
    return { rows: [{ ...row, countries: null, priority: 1, costs: null, revision: 1 }] }
  }
  const registry = createRegistry({
    database: makeQueryable(run as unknown as RunStatement) as Database,
    keyring: () => keyring,
    kinds: new Map([['smpp', kind]]),
    builtIn: [],
    onReceipt: async () => {},
    isPassive: false,
    door: createSafeDoor({ allowedRanges: [], allowsHttp: false }),
    log: (_level, message, fields) => assert.fail(`${message} ${JSON.stringify(fields)}`),
  })
  const isAsked = once(asked, 'query')
  const reloading = registry.reload()
  await isAsked
  const closing = registry.close()
  asked.emit('answer')
  await Promise.all([reloading, closing])
  assert.equal(opened, 0)
})
