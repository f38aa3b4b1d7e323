import { prepare } from './prepare.mjs'
import { whileStoppable } from './stoppable.mjs'

await whileStoppable(0, async () => {
  await prepare()
  // From here on the service itself handles signals.
  await import('../server/dist/cli.js')
})
