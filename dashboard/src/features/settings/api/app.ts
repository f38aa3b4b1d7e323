import { useChange } from '#lib/use-change.ts'

export const usePauseApp = () =>
  useChange('pauseApp', {
    says: ({ name }) => `${name} is paused: new sends are refused.`,
    refreshes: ['getApp', 'listApps'],
    problems: 'form',
  })

export const useResumeApp = () =>
  useChange('resumeApp', {
    says: ({ name }) => `${name} has been resumed.`,
    refreshes: ['getApp', 'listApps'],
  })

export const useDeleteApp = () =>
  useChange('deleteApp', { says: 'The app is deleted.', refreshes: ['listApps'], problems: 'form' })
