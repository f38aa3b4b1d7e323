import { plural } from '#lib/format.ts'
import { useChange } from '#lib/use-change.ts'

export const useReplayEvent = () =>
  useChange('replayEvent', { says: 'The event is being sent again', refreshes: ['listEvents', 'getEvent'] })

export const useReplayFailed = () =>
  useChange('replayFailed', {
    says: ({ replayed }) =>
      replayed === 0 ? 'No events have failed since then' : `${plural(replayed, 'event')} sent again`,
    refreshes: ['listEvents'],
    problems: 'form',
  })
