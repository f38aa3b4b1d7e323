export {
  type NotedRoute,
  RouteBook,
  type Taken,
} from './book.ts'
export { ChannelMemories } from './channel-memories.ts'
export { type Judged, judgeAccounts, pick, type Terms, thousandths } from './judge.ts'
export { KnownRoutes, RouteKnowledge } from './knowledge.ts'
export { fade, forget, type Memories, noMemories, remember } from './memory.ts'
export { addToRoutes, type RouteCounts, readRoutes, replaceMemories, type WrittenRoute } from './store.ts'
