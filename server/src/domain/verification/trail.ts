/** The recorded reasons of one decision: which rules ran, and what each said. */
import type { AppError, RuleResult } from '@countersign/contract'

export class Trail {
  readonly rules: RuleResult[] = []

  pass(rule: string, why: string): void {
    this.rules.push({ rule, outcome: 'pass', why })
  }

  skip(rule: string, why: string): void {
    this.rules.push({ rule, outcome: 'skip', why })
  }

  refuse(rule: string, error: AppError): never {
    this.rules.push({ rule, outcome: 'refuse', why: error.message })
    throw error
  }
}
