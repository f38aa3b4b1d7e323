/** The database's time, as near as this node can know it without asking: for ids and signatures, never for decisions. */
export interface Clock {
  readonly nowMs: () => number
}

export class DatabaseClock implements Clock {
  #offsetMs = 0

  readonly nowMs = (): number => Date.now() + this.#offsetMs

  /** Called with each reading of the database's clock that a query brings along. */
  readonly calibrate = (databaseMs: number): void => {
    this.#offsetMs = databaseMs - Date.now()
  }
}
