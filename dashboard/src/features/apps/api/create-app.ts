import { useChange } from '#lib/use-change.ts'

export const useCreateApp = () =>
  useChange('createApp', { says: ({ name }) => `${name} created`, refreshes: ['listApps'], problems: 'form' })
