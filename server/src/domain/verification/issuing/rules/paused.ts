/** A paused app refuses every new send. */
import { type Rule, refuse } from '../rule.ts'

export const judgePaused: Rule = ({ app }) =>
  app.pausedAt &&
  refuse(
    { rule: 'paused', outcome: 'refuse', facts: { since: app.pausedAt.toISOString() } },
    'AppPausedError',
  )
