import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { isUnavailable, openDatabase } from '../database.ts'
import { databaseProblemOf } from './problems.ts'

describe('a PostgreSQL that is reached through a socket in a folder, while it is down', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-socket-'))
  after(() => rm(folder, { recursive: true }))
  const url = `postgresql://somebody:secret@${encodeURIComponent(folder)}:5432/countersign`

  it('is unreachable to the service, so that callers are told to come back', async () => {
    const database = openDatabase(url, 4, () => {})
    const error = await database.query({ text: 'select 1' }).then(
      () => null,
      (failed: unknown) => failed,
    )
    await database.close()
    assert.ok(isUnavailable(error), String(error))
    assert.equal(databaseProblemOf(error.cause), 'unreachable')
  })
})
