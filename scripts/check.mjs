/** `npm run check`: what can be checked without running the code, and that generated files are fresh. */
import { spawnSync } from 'node:child_process'
import { prepare, root } from './prepare.mjs'
import { whileStoppable } from './stoppable.mjs'

await whileStoppable(1, prepare)
const tool = (path, ...args) => [process.execPath, [`node_modules/${path}`, ...args]]
const script = (path, ...args) => [process.execPath, ['--import', 'tsx', path, ...args]]
const steps = [
  ...['.', 'dashboard', 'sdks/web', 'sdks/react', 'site/src/client'].map((folder) => [
    `types of ${folder === '.' ? 'the house' : folder}`,
    // Several threads check much of it twice, and take twice the processor for the same time.
    ...tool('typescript/bin/tsc', '-p', `${folder}/tsconfig.json`, '--noEmit', '--singleThreaded'),
  ]),
  ['format and lint', ...tool('@biomejs/biome/bin/biome', 'check', '--error-on-warnings')],
  ['arrows', process.execPath, ['scripts/check-arrows.mjs']],
  ['unused code', ...tool('knip/bin/knip.js')],
  ['schema dump', ...script('server/scripts/dump-schema.ts', '--check')],
  ['OpenAPI, page of errors, management client', ...script('scripts/write-from-contract.ts', '--check')],
  ['OpenAPI as others read it', ...script('contract/scripts/check-openapi.ts')],
]

for (const [name, command, args] of steps) {
  process.stdout.write(`· check: ${name}\n`)
  const done = spawnSync(command, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'], encoding: 'utf8' })
  if (done.status === 0) continue
  console.error(`${done.stdout}${done.stderr}`)
  console.error(`check failed: ${name}`)
  process.exit(1)
}
