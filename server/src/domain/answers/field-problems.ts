/** What is wrong with a request, field by field, in words for whoever wrote it. */
import { AppError, type FieldProblem } from '@countersign/contract'

/** A body of nothing but mistakes has tens of thousands. */
const mostListed = 100

export function validationError(fields: readonly FieldProblem[]): AppError {
  const [first] = fields
  const where = first ? `${first.path || 'body'}: ${first.message}` : 'invalid'
  const more = fields.length > 1 ? ` (and ${fields.length - 1} more)` : ''
  return new AppError('ValidationError', `The request is not valid. ${where}${more}`, {
    fields: fields.slice(0, mostListed),
  })
}
