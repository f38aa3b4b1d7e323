import type { HttpSettings } from './fields.ts'

/** A gateway that is known: data over the same settings that anybody can write. */
export interface Preset {
  readonly label: string
  /** What somebody with an account there gives, by the names that it has there. */
  readonly asks: Readonly<Partial<Record<keyof HttpSettings, string>>>
  /** Those of them that may be left out. */
  readonly optional?: readonly (keyof HttpSettings)[]
  readonly settings: HttpSettings
}
