import type { HttpSettings } from './fields.ts'

/** A known gateway: values for the same settings that anybody can write. */
export interface Preset {
  readonly label: string
  /** What somebody with an account there has to give, under the names that the gateway uses. */
  readonly asks: Readonly<Partial<Record<keyof HttpSettings, string>>>
  /** Those of them that may be left out. */
  readonly optional?: readonly (keyof HttpSettings)[]
  readonly settings: HttpSettings
}
