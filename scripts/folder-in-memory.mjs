/** Where tests put their databases. Plain Node, no packages. */
import { accessSync, constants, readFileSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'

const inMemory = '/dev/shm'
const gibibyte = 1024 ** 3
/** PostgreSQL's log of changes may take one, all databases and folders that are open at once less than another. */
const leastRoom = 3 * gibibyte
const leastMemory = 6 * gibibyte

/**
 * A run makes and deletes some three hundred thousand files of PostgreSQL. A disk's file system takes longer for that
 * than most tests for their work: ext4 passes over each file that was deleted within the minute before it makes one.
 */
export const folderForDatabases = () => (hasRoom() ? inMemory : tmpdir())

function hasRoom() {
  try {
    accessSync(inMemory, constants.R_OK | constants.W_OK | constants.X_OK)
    const { bavail, bsize } = statfsSync(inMemory)
    const [, available = 0] = /^MemAvailable: +(\d+) kB$/m.exec(readFileSync('/proc/meminfo', 'utf8')) ?? []
    // A container's own bound, which files in memory count towards; 0 where there is none.
    const bound = process.constrainedMemory() || Infinity
    return bavail * bsize >= leastRoom && Math.min(available * 1024, bound) >= leastMemory
  } catch {
    return false
  }
}
