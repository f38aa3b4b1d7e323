import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { describe, it } from 'node:test'
import { programOf } from '../harness/program.ts'

/** The short form. To search for new failures, run `npm run test:faults` with other seeds. */
const short = { seconds: '30', seed: '1', clients: '4' }
/** Starting, settling and checking take as long again, and much longer on a busy machine. */
const mostMs = 900_000

describe('a whole installation', { timeout: mostMs }, () => {
  it('keeps every promise while processes die, stand still and lose their connections', async () => {
    const child = spawn(
      process.execPath,
      [
        ...programOf(new URL('./main.ts', import.meta.url)),
        ...Object.entries(short).flatMap(([name, value]) => [`--${name}`, value]),
      ],
      { stdio: ['ignore', 'pipe', 'pipe', 'ipc'] },
    )
    const printed: string[] = []
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => printed.push(text))
    const [code] = await once(child, 'close')
    assert.equal(code, 0, printed.join(''))
  })
})
