import assert from 'node:assert/strict'
import { it } from 'node:test'
import { writeOften } from './write-often.ts'

it('what cannot be written is said once, until it can be, and is tried a last time at the end', async () => {
  const goesWell = [false, false, true, false, false]
  const tries: boolean[] = []
  const said: string[] = []
  let end = () => {}
  const ended = new Promise<void>((resolve) => {
    end = resolve
  })
  const { close } = writeOften({
    everyMs: 1,
    write: async (isLast) => {
      const isWell = goesWell[tries.length] ?? true
      tries.push(isLast)
      if (tries.length === goesWell.length) end()
      if (!isWell) throw new Error('the database is away')
    },
    log: (_level, message) => said.push(message),
    waits: 'notes wait',
  })
  await ended
  await close()
  assert.deepEqual(said, ['notes wait', 'notes wait'])
  assert.deepEqual([tries.at(-1), tries.filter(Boolean).length], [true, 1])
})
