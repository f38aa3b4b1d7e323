/** Where tests put their databases. Plain Node, no packages. */
import { accessSync, constants, readFileSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'

const inMemory = '/dev/shm'
const gibibyte = 1024 ** 3
/** PostgreSQL's write-ahead log may need one gibibyte, and all databases and folders at once less than another. */
const leastRoom = 3 * gibibyte
const leastMemory = 6 * gibibyte

/**
 * A run makes and deletes about three hundred thousand files of PostgreSQL. On a disk that takes longer than most tests
 * themselves: ext4 skips each inode that was freed within the last minute before it makes a file.
 */
export const folderForDatabases = () => (hasRoom() ? inMemory : tmpdir())

function hasRoom() {
  try {
    accessSync(inMemory, constants.R_OK | constants.W_OK | constants.X_OK)
    const { bavail, bsize } = statfsSync(inMemory)
    const [, available = 0] = /^MemAvailable: +(\d+) kB$/m.exec(readFileSync('/proc/meminfo', 'utf8')) ?? []
    // A container's own bound, which includes files in memory; 0 if there is none.
    const bound = process.constrainedMemory() || Infinity
    return bavail * bsize >= leastRoom && Math.min(available * 1024, bound) >= leastMemory
  } catch {
    return false
  }
}
