import { useChange } from '#lib/use-change.ts'

export const useUpdateMe = () =>
  useChange('updateMe', { says: 'Name saved', refreshes: ['getMe', 'listMembers'], problems: 'form' })
