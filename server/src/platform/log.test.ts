import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, openSync } from 'node:fs'
import { it } from 'node:test'

const full = '/dev/full'
const program = `
  import { createLog } from ${JSON.stringify(new URL('./log.ts', import.meta.url).href)}
  const log = createLog('info')
  for (let line = 0; line < 100; line++) log('info', 'a line')
  setTimeout(() => { log('info', 'the last'); process.exit(7) }, 200)`

it('a full disk under the log does not keep the process from ending', {
  skip: existsSync(full) ? false : `there is no ${full} here`,
}, async () => {
  const output = openSync(full, 'w')
  const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', program], {
    stdio: ['ignore', output, 'ignore'],
  })
  closeSync(output)
  const giveUp = setTimeout(() => child.kill('SIGKILL'), 120_000)
  const [code] = await once(child, 'exit')
  clearTimeout(giveUp)
  assert.equal(code, 7)
})
