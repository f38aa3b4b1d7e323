export {
  changeProvider,
  createProvider,
  dryRunProvider,
  type ListedProvider,
  listAccounts,
  type ManageProvidersDependencies,
  removeProvider,
} from './manage-providers.ts'
export { type LinkMode, nextChannel, type ResendStep } from './next-channel.ts'
export { effectiveOrder, type Order } from './order.ts'
export type { Provider, Providers } from './providers.ts'
export { accountContext, createRegistry, type Registry, whatsappNumberIn } from './registry.ts'
