/** `npm run pictures`: prepares a fresh clone, and takes the pictures of docs/ again. */
import { prepare } from '../../scripts/prepare.mjs'
import { whileStoppable } from '../../scripts/stoppable.mjs'

await whileStoppable(1, prepare)
const { register } = await import('tsx/esm/api')
register()
await import('./take.ts')
