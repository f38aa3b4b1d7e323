export { creditCompany, getCompany, listLedger, openCompany } from './companies.ts'
export { type Funds, type Hold, hold, lookAt } from './hold-store.ts'
export { keptByBilling } from './kept.ts'
export { formatMicros, formatNearest, parseMicros, sayAmount } from './money.ts'
export {
  createPriceReader,
  priceOf,
  priceOfAccount,
  type ReadPrices,
  readPrices,
  setPrices,
} from './prices.ts'
export {
  addSpend,
  approvedSpend,
  type Cap,
  type CapCheck,
  exceedsCap,
  floorOf,
  judgeCaps,
  lookUpSpend,
  periodMs,
  readSpend,
  returnedSpend,
  Spend,
  type SpendView,
  type WantedSpend,
  writeSpend,
} from './spend/index.ts'
export { carryForward } from './store.ts'
