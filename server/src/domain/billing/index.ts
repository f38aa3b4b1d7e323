export { creditCompany, getCompany, listLedger, openCompany } from './accounts.ts'
export { keptByBilling } from './kept.ts'
export { formatMicros, formatShortly } from './money.ts'
export { createPriceReader, priceOf, type ReadPrices, setPrices } from './prices.ts'
export {
  addSpend,
  approvedSpend,
  type Cap,
  floorOf,
  isOver,
  judgeCaps,
  lookUpSpend,
  periodMs,
  readSpend,
  returnedSpend,
  Spend,
  type SpendView,
  type Standing,
  type WantedSpend,
  writeSpend,
} from './spend/index.ts'
export { carryForward } from './store.ts'
