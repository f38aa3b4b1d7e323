/** `npm run bench:routes`: prepares a fresh clone, and runs the benchmark. */
import { prepare } from '../../scripts/prepare.mjs'
import { whileStoppable } from '../../scripts/stoppable.mjs'

await whileStoppable(1, prepare)
const { register } = await import('tsx/esm/api')
register()
await import('./main.ts')
