/** Describes a refusal by its status, its type and, for a limit, its scope. */
import assert from 'node:assert/strict'
import type { Answer } from './node.ts'

export function assertRefused(answer: Answer, status: number, type: string, scope?: string): void {
  assert.equal(answer.status, status, JSON.stringify(answer.body))
  assert.equal(answer.body.error.type, type)
  if (scope) assert.equal(answer.body.error.details.scope, scope)
}
