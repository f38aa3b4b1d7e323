import assert from 'node:assert/strict'
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { startEmbeddedDatabase } from './embedded-database.ts'
import { makeFolder } from './make-folder.ts'

const own = await mkdtemp(join(tmpdir(), 'countersign-make-folder-'))
after(() => rm(own, { recursive: true }))

/** Nobody can make a new folder in /proc. */
const closed = { skip: process.platform !== 'linux' && 'only Linux has /proc' }

describe('a folder', () => {
  it('is made with all that is missing above it, closed as was asked', async () => {
    const path = join(own, 'one', 'two')
    await makeFolder(path, 0o700)
    for (const made of [path, join(own, 'one')]) assert.equal((await stat(made)).mode & 0o777, 0o700)
  })

  it('may be there already, or be made by several at once', async () => {
    const path = join(own, 'three', 'four')
    await Promise.all(Array.from({ length: 10 }, () => makeFolder(path)))
    await makeFolder(path)
    assert.ok((await stat(path)).isDirectory())
  })

  it('is not made where a file has its name, or stands above it', async () => {
    const file = join(own, 'file')
    await writeFile(file, '')
    await assert.rejects(makeFolder(file), { code: 'EEXIST' })
    await assert.rejects(makeFolder(join(file, 'below')), { code: 'EEXIST' })
  })

  it('that no folder can be made in is refused, and not tried for ever', closed, async () => {
    await assert.rejects(makeFolder('/proc/x'), { code: 'ENOENT' })
    await assert.rejects(makeFolder('/proc/x/y'), { code: 'ENOENT' })
  })

  it('for data that cannot be made is named at the start, with what to do', closed, async () => {
    const starting = startEmbeddedDatabase({ dataDir: '/proc/x', log: () => {} })
    await assert.rejects(starting, /data folder \/proc\/x cannot be used .*ENOENT.* set DATA_DIR/)
  })
})
