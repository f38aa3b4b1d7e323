import { useChange } from '#lib/use-change.ts'

export const useCreateFirstKey = (onKey: (key: string) => void) =>
  useChange('createKey', {
    says: 'Key created',
    refreshes: ['listKeys'],
    onDone: ({ key }) => onKey(key),
  })
