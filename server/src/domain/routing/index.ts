export { dryRunProvider } from './dry-run-provider.ts'
export { type AccountRef, HealthBook, refOf } from './health/book.ts'
export { readStates } from './health/read-state.ts'
export { addToFacts } from './health/store.ts'
export { keptByRouting } from './kept.ts'
export {
  addToRoutes,
  forget,
  type Judged,
  KnownRoutes,
  pick,
  RouteBook,
  type RouteCounts,
  RouteKnowledge,
  readRoutes,
  replaceMemories,
  type Taken as TakenRoutes,
  thousandths,
  type WrittenRoute,
} from './learned/index.ts'
export { listAccounts } from './list-providers.ts'
export { changeProvider, prepareProvider, removeProvider } from './manage-providers.ts'
export { type LinkMode, nextChannel, type ResendStep } from './next-channel.ts'
export { effectiveOrder, type Order } from './order.ts'
export { deleteProvidersOf, listEnabledProviders } from './provider-store.ts'
export {
  carriersAfter,
  costOf,
  firstRank,
  hidesCost,
  isOfSimulator,
  isTrial,
  type Listeners,
  type Provider,
  type Providers,
  providersAmong,
  simulatorAccountId,
} from './providers.ts'
export { accountContext, createRegistry, type Registry, whatsappNumberIn } from './registry.ts'
export type { ListedProvider, ManageProvidersDependencies } from './stored-provider.ts'
export { checkAccount, type TryDependencies, testAccount } from './try-account.ts'
