import { useChange } from '#lib/use-change.ts'

export const usePutPrices = () =>
  useChange('putPrices', {
    says: 'Price book saved',
    refreshes: ['getPrices', 'lintMessage', 'getSpend'],
    problems: 'form',
  })
