import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { describe, it } from 'node:test'
import { promisify } from 'node:util'
import { programOf } from '../harness/program.ts'

/** The same seeds each time. To search for new failures, run `npm run test:schedules` with other seeds. */
const seed = 1
const count = 60

describe('nodes that race', () => {
  it('keep every promise under schedules in which they stand still, lose connections and die', async () => {
    // In its own process, because the scheduler replaces time and randomness there.
    const program = programOf(new URL('./main.ts', import.meta.url))
    const played = await promisify(execFile)(process.execPath, [
      ...program,
      '--seed',
      String(seed),
      '--count',
      String(count),
    ]).then(
      ({ stdout }) => ({ isGood: true, stdout }),
      (error: { stdout: string; stderr: string }) => ({ isGood: false, stdout: error.stdout + error.stderr }),
    )
    assert.ok(played.isGood, played.stdout)
    assert.match(played.stdout, /no violation/)
  })
})
