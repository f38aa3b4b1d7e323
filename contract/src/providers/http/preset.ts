import type { HttpSettings } from './fields.ts'

/** A known gateway: values for the same settings that anybody can write. */
export interface Preset {
  readonly label: string
  /** The settings that somebody with an account there has to give, each with the gateway's own name for it. */
  readonly asks: Readonly<Partial<Record<keyof HttpSettings, string>>>
  /** Settings of `asks` that may be left out. */
  readonly optional?: readonly (keyof HttpSettings)[]
  readonly settings: HttpSettings
}
