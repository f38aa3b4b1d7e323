import { useChange } from '#lib/use-change.ts'

export const usePutRules = () =>
  useChange('putRules', {
    says: 'Rules saved',
    problems: 'form',
    refreshes: ['getRules', 'listRuleRevisions'],
  })
