import type { AnswerOf } from '#lib/client.ts'
import { useChange } from '#lib/use-change.ts'

export const useRestoreRules = (onDone: (rules: AnswerOf<'getRules'>) => void) =>
  useChange('restoreRuleRevision', {
    says: ({ revision }) => `Restored as revision ${revision}`,
    problems: 'form',
    refreshes: ['getRules', 'listRuleRevisions'],
    onDone,
  })
