import { HeldCard } from './held-card.tsx'
import { HistoryCard } from './history-card.tsx'

export const HistoryPanel = ({ appId }: { readonly appId: string }) => (
  <div className="flex flex-col gap-5">
    <HeldCard appId={appId} />
    <HistoryCard appId={appId} />
  </div>
)
