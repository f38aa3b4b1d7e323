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

  reroute(rule: string, why: string): void {
    this.rules.push({ rule, outcome: 'reroute', why })
  }

  refuse(rule: string, error: AppError, why = error.message): never {
    this.rules.push({ rule, outcome: 'refuse', why })
    throw error
  }
}
