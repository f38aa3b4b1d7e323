/** `npm run bench:pages`: prepares a fresh clone, and times what the dashboard's pages read. */
import { prepare } from '../../scripts/prepare.mjs'
import { whileStoppable } from '../../scripts/stoppable.mjs'

await whileStoppable(1, prepare)
const { register } = await import('tsx/esm/api')
register()
await import('./main.ts')
