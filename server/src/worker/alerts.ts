/** Looks for problems that have begun or are over, and tells those who want to know. */
import { type AlertDependencies, watchAlerts } from '../domain/alerts/index.ts'
import { type Loop, startLoop } from '../platform/loop.ts'

const everyMs = 5_000

export const startAlerts = (dependencies: AlertDependencies): Loop =>
  startLoop({
    pollMs: everyMs,
    round: () => watchAlerts(dependencies),
    onError: (error) => dependencies.warn('alerts could not be looked for', error),
  })
