/** How a scenario of resends is written: where each step lands and what it brings. */
type Settings = Record<string, unknown>

export interface Step {
  /** Settings changed before the resend. */
  readonly patch?: Settings
  /** Absent: a plain resend. */
  readonly named?: string
  /** The channel it lands on, or the refusal. */
  readonly to: string
  /** `same` and `fresh`: which code arrives. `same link` and `new link`: nothing is sent, a link is answered. */
  readonly brings?: 'same' | 'fresh' | 'same link' | 'new link'
}

export interface Scenario {
  readonly name: string
  readonly order: readonly string[]
  readonly mode?: string
  readonly recipient?: string
  readonly settings?: Settings
  /** Channels whose provider says "not here" for this recipient. */
  readonly unreachable?: readonly string[]
  readonly starts: string
  readonly steps: readonly Step[]
}

export const notAllowed = 'ResendNotAllowedError'
export const off = (channel: string): Settings => ({ channels: { [channel]: { enabled: false } } })
export const mode = (name: string): Settings => ({ channels: { whatsapp: { mode: name } } })
export const three = ['sms', 'whatsapp', 'telegram']
