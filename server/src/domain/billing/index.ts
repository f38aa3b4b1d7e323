export { creditCompany, getCompany, listLedger, openCompany } from './accounts.ts'
export { formatMicros } from './money.ts'
export { createPriceReader, type Priced, priceOf, type ReadPrices, setPrices } from './prices.ts'
export { carryForward } from './store.ts'
