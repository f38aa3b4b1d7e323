/** How a scenario of resends is written: the channel of each step, and what it brings. */
type Settings = Record<string, unknown>

interface Step {
  /** Settings changed before the resend. */
  readonly patch?: Settings
  /** Absent in a plain resend. */
  readonly named?: string
  /** The channel that it goes to, or the refusal. */
  readonly to: string
  /** `same` and `fresh`: which code arrives. `same link` and `new link`: no message, the answer has a link. */
  readonly brings?: 'same' | 'fresh' | 'same link' | 'new link'
}

export interface Scenario {
  readonly name: string
  readonly order: readonly string[]
  readonly mode?: string
  readonly recipient?: string
  readonly settings?: Settings
  /** Channels whose provider reports this recipient as unreachable. */
  readonly unreachable?: readonly string[]
  readonly starts: string
  readonly steps: readonly Step[]
}

export const notAllowed = 'ResendNotAllowedError'
export const off = (channel: string): Settings => ({ channels: { [channel]: { enabled: false } } })
export const mode = (name: string): Settings => ({ channels: { whatsapp: { mode: name } } })
export const three = ['sms', 'whatsapp', 'telegram']
