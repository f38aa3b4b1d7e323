/** An app that is paused sends nothing new. */
import { type Rule, refuse } from '../rule.ts'

export const judgePaused: Rule = ({ app }) =>
  app.pausedAt &&
  refuse(
    { rule: 'paused', outcome: 'refuse', facts: { since: app.pausedAt.toISOString() } },
    'AppPausedError',
  )
