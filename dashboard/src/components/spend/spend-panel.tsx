import { CapsCard } from './caps-card.tsx'
import { SpendToday } from './spend-today.tsx'

/** What an app spends, and how much it may spend. */
export const SpendPanel = ({ appId }: { readonly appId: string }) => (
  <div key={appId} className="flex flex-col gap-5">
    <SpendToday appId={appId} />
    <CapsCard appId={appId} />
  </div>
)
