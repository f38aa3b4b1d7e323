import type { HttpSettings } from './fields.ts'

/** A gateway that is known: data over the same settings that anybody can write. */
export interface Preset {
  readonly label: string
  /** What somebody with an account there has to give, by the names that it has there. */
  readonly asks: Readonly<Partial<Record<keyof HttpSettings, string>>>
  /** What else is needed before it works, for whoever fills in the form. */
  readonly hint?: string
  readonly settings: HttpSettings
}
