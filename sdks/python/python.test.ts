/** The Python client's own tests, against the service. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { useService } from '../../e2e/harness/service.ts'
import { missing, run, setStage } from '../backend-stage.ts'

const skip = missing(`python3 -c 'import sys; sys.exit(sys.version_info < (3, 9))'`)
const service = useService()
const folder = fileURLToPath(new URL('.', import.meta.url))

test('the Python client passes its tests, those against the service included', { skip }, async () => {
  // Python must not leave a folder of compiled files in the sources.
  const env = { ...(await setStage(service())), PYTHONDONTWRITEBYTECODE: '1' }
  const args = ['-W', 'error', '-m', 'unittest']
  const { stderr } = await run('python3', args, { cwd: folder, env })
  assert.match(stderr, /^OK$/m)
})
