/** What the command line does if nobody reads its output. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { describe, it } from 'node:test'
import { commandLine } from './harness/program.ts'

const fullDisk = '/dev/full'

async function help(stdout: number | 'pipe'): Promise<{ code: number | null; complaint: string }> {
  const child = spawn(process.execPath, [...commandLine, 'help'], {
    stdio: ['ignore', stdout, 'pipe'],
  })
  // A reader that is gone before anything is printed, as after `head`.
  child.stdout?.destroy()
  const ended = new Promise<number | null>((resolve) => child.on('exit', resolve))
  assert.ok(child.stderr)
  const complaint = await text(child.stderr)
  return { code: await ended, complaint }
}

describe('what is printed', () => {
  it('onto a full disk is no success, and says so', { skip: !existsSync(fullDisk) }, async () => {
    const full = await open(fullDisk, 'w')
    try {
      assert.deepEqual(await help(full.fd), {
        code: 1,
        complaint: 'The output could not be written (ENOSPC).\n',
      })
    } finally {
      await full.close()
    }
  })

  it('for a reader that has gone is nobody’s loss', async () => {
    assert.deepEqual(await help('pipe'), { code: 0, complaint: '' })
  })
})
