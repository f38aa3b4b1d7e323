import { GuessingCard } from './guessing-card.tsx'
import { LimitsCard } from './limits-card.tsx'

export const LimitsPanel = ({ appId }: { readonly appId: string }) => (
  <div className="flex flex-col gap-5">
    <GuessingCard appId={appId} />
    <LimitsCard appId={appId} />
  </div>
)
