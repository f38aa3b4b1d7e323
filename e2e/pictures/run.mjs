/** `npm run pictures`: brings a fresh clone to where it can run, and takes the pictures of docs/ anew. */
import { prepare } from '../../scripts/prepare.mjs'
import { whileStoppable } from '../../scripts/stoppable.mjs'

await whileStoppable(1, prepare)
const { register } = await import('tsx/esm/api')
register()
await import('./take.ts')
