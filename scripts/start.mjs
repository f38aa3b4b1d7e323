import { prepare } from './prepare.mjs'
import { whileStoppable } from './stoppable.mjs'

await whileStoppable(0, async () => {
  await prepare()
  // From here on the service itself says how it stops.
  await import('../server/dist/cli.js')
})
