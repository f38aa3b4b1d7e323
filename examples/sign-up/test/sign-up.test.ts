/** The example with the packed libraries, against the built service and in a real browser. */
import { describe } from 'node:test'
import { describeBackend } from './backend.ts'
import { describeLooks } from './looks.ts'
import { describePeople } from './people.ts'

// Concurrent, since one test waits a minute for a code to expire.
describe('the example', { concurrency: true }, () => {
  describePeople()
  describeLooks()
  describeBackend()
})
