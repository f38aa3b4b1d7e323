/** A first start on a disk that becomes full while it starts. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { ended, findPorts, run } from './harness/process.ts'

/** Enough to create the cluster, but not for what the service writes into it. */
const smallDisk = 'size=48m'

/** A disk of a given size needs Linux, and root. Returns null elsewhere. */
function mountDisk(context: TestContext): string | null {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-disk-'))
  const isMounted = spawnSync('mount', ['-t', 'tmpfs', '-o', smallDisk, 'tmpfs', folder]).status === 0
  context.after(() => {
    if (isMounted) spawnSync('umount', ['-l', folder])
    rmSync(folder, { recursive: true, force: true })
  })
  return isMounted ? folder : null
}

for (const processes of ['1', '2'])
  test(`a start on a disk that is too small names the disk and leaves nothing running, with ${processes} process(es)`, async (context) => {
    const disk = mountDisk(context)
    if (!disk) return context.skip('no disk can be mounted here')
    const dataDir = join(disk, 'data')
    const started = run(dataDir, await findPorts(), { PROCESSES: processes })
    const { code } = await ended(started)
    assert.equal(code, 1, started.output())
    assert.match(started.output(), /Countersign cannot start: The disk of .+ is full: \d+ MB are free/)
    assert.equal(existsSync(join(dataDir, 'postgres/postmaster.pid')), false)
  })
