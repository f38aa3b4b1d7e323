import { type Answer, json } from './answer.ts'

export interface FieldProblem {
  readonly path: string
  readonly message: string
}

/** An error that the caller is answered with. */
export class Refusal extends Error {
  readonly status: number
  readonly type: string
  readonly details: Record<string, unknown>
  readonly headers: Record<string, string>

  constructor(
    status: number,
    type: string,
    message: string,
    details: Record<string, unknown> = {},
    headers: Record<string, string> = {},
  ) {
    super(message)
    this.status = status
    this.type = type
    this.details = details
    this.headers = headers
  }

  toAnswer(): Answer {
    const error = { type: this.type, message: this.message, details: this.details }
    return json(this.status, { error }, this.headers)
  }
}

export function invalidFields(fields: readonly FieldProblem[]): Refusal {
  const problems = fields.map(({ path, message }) => (path ? `${path}: ${message}` : `the body ${message}`))
  return new Refusal(422, 'ValidationError', problems.join('; '), { fields })
}
