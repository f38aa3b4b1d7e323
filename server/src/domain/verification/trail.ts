/** The recorded reasons of one decision: which rules ran, and what each found. */
import { AppError, type Decided, type ErrorDetails, type ErrorName, whyOf } from '@countersign/contract'

export class Trail {
  readonly rules: Decided[] = []

  add(decided: Decided): void {
    this.rules.push(decided)
  }

  refuse(decided: Decided, error: AppError): never {
    this.rules.push(decided)
    throw error
  }
}

/** Tells the caller what the decision says. */
export const refusalOf = (name: ErrorName, decided: Decided, details?: ErrorDetails): AppError =>
  new AppError(name, whyOf(decided), details)
