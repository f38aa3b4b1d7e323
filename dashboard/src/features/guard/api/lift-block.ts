import { useChange } from '#lib/use-change.ts'

export const useLiftBlock = () =>
  useChange('liftBlock', {
    says: 'Block lifted',
    problems: 'form',
    refreshes: ['listBlocks', 'getAttention'],
  })
