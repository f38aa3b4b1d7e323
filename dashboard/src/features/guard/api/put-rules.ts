import { useChange } from '#lib/use-change.ts'

/** `says` is for a toast, if the page does not say itself what was done. */
export const usePutRules = (says?: string) =>
  useChange('putRules', {
    ...(says && { says }),
    problems: 'form',
    refreshes: ['getRules', 'listRuleRevisions'],
  })
