import { useChange } from '#lib/use-change.ts'

const options = { problems: 'form', refreshes: ['listBlocks', 'getAttention'] } as const

export const useLiftBlock = () => useChange('liftBlock', options)
export const useRestoreBlock = () => useChange('restoreBlock', options)
