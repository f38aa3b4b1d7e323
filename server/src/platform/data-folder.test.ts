import assert from 'node:assert/strict'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { ConfigError } from './config-error.ts'
import { adminTokenOf, makeMasterKey, masterKeysOf, sayUnusable } from './data-folder.ts'

let dataDir: string
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'countersign-folder-'))
})
afterEach(() => rm(dataDir, { recursive: true, force: true }))

const isOfSettings = (says: RegExp) => (error: unknown) => {
  assert.ok(error instanceof ConfigError)
  assert.ok(error.message.includes(dataDir), 'it names the file')
  assert.match(error.message, says)
  return true
}

describe('a folder that cannot be used', () => {
  for (const [code, says] of [
    ['ENOSPC', /^ \(ENOSPC\): make room on its disk/],
    ['EROFS', /^ \(EROFS\): mount its file system for writing/],
    ['EEXIST', /^ \(EEXIST\): a file is in its place/],
    ['EACCES', /^ by this user \(EACCES\): change its owner/],
  ] as const)
    it(`is said to be so by what ${code} needs`, () =>
      assert.match(sayUnusable(Object.assign(new Error(code), { code })), says))
})

describe('the master key of the folder', () => {
  const given = () => ({ masterKeys: null, dataDir })

  it('is made before there is a database, and stays', async () => {
    await makeMasterKey(given())
    const made = await masterKeysOf(given())
    await mkdir(join(dataDir, 'postgres'))
    await makeMasterKey(given())
    assert.deepEqual(await masterKeysOf(given()), made)
  })

  it('that was lost is not replaced, neither by a start nor by a command', async () => {
    await mkdir(join(dataDir, 'postgres'))
    await assert.rejects(makeMasterKey(given()), isOfSettings(/master-key is missing.*Restore it/))
    await assert.rejects(masterKeysOf(given()), isOfSettings(/master-key is missing.*Restore it/))
    assert.deepEqual(await readdir(dataDir), ['postgres'])
  })

  it('that may not be read is not replaced either, and whose it is should be looked at', async () => {
    // A folder in its place cannot be read by anybody, root included.
    await mkdir(join(dataDir, 'master-key'))
    const says = /master-key cannot be read \(EISDIR\)\. Run this as the user to whom it belongs/
    await assert.rejects(makeMasterKey(given()), says)
    await assert.rejects(masterKeysOf(given()), says)
  })

  for (const content of ['', 'garbage\n', Buffer.alloc(31).toString('base64')]) {
    it(`is no "${content.trim()}"`, async () => {
      await writeFile(join(dataDir, 'master-key'), content)
      await assert.rejects(masterKeysOf(given()), isOfSettings(/32 random bytes in base64.*MASTER_KEY/))
    })
  }

  it('is not needed where one is given', async () => {
    await mkdir(join(dataDir, 'postgres'))
    const key = Buffer.alloc(32, 1)
    await makeMasterKey({ masterKeys: [key], dataDir })
    assert.deepEqual((await masterKeysOf({ masterKeys: [key], dataDir })).secrets, [key])
    assert.deepEqual(await readdir(dataDir), ['postgres'])
  })
})

describe('the operator’s token of the folder', () => {
  it('is made where there is none, and stays', async () => {
    const made = await adminTokenOf({ adminToken: null, dataDir })
    assert.equal((await readFile(join(dataDir, 'admin-token'), 'utf8')).trim(), made)
    assert.equal(await adminTokenOf({ adminToken: null, dataDir }), made)
  })

  for (const content of ['', 'short', 'ä'.repeat(24), `${'x'.repeat(24)} x`]) {
    it(`is no "${content}"`, async () => {
      await writeFile(join(dataDir, 'admin-token'), `${content}\n`)
      await assert.rejects(
        adminTokenOf({ adminToken: null, dataDir }),
        isOfSettings(/at least 24 characters/),
      )
    })
  }
})
