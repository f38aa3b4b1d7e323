import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { Database } from '../../platform/database.ts'
import { newId } from '../../platform/ids.ts'
import type { ChangeWatch } from '../../platform/remember.ts'
import { createDirectory } from './directory.ts'
import { makeKeyText } from './key-text.ts'

it('a key that is known to be revoked is nobody’s, whether it is looked up or only recalled', async () => {
  const appId = newId('app', Date.now())
  const companyId = newId('company', Date.now())
  const row = { app_id: appId, company_id: companyId, name: 'Acme', settings: {}, rules: [] }
  let isRevoked = false
  const query = async () => ({
    rows: [{ ...row, key_id: newId('key', Date.now()), kind: 'server', is_revoked: isRevoked }],
  })
  /** Remembers whatever was loaded last. */
  const remember = (load: (key: string) => Promise<unknown>) => {
    let last: unknown
    const find = async (key: string) => {
      last = await load(key)
      return last
    }
    return Object.assign(find, { recall: () => last })
  }
  const directory = createDirectory(
    { query } as unknown as Database,
    { remember } as unknown as ChangeWatch,
    () => {},
    'learned',
  )
  const text = makeKeyText('server', appId)
  assert.equal((await directory.findPrincipal(text))?.app.appId, appId)
  assert.equal(directory.recallPrincipal(text)?.app.appId, appId)
  isRevoked = true
  assert.equal(await directory.findPrincipal(text), undefined)
  assert.equal(directory.recallPrincipal(text), undefined)
})
