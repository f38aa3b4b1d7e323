/** What is wrong with a request, field by field, in words for the person who wrote it. */
import { AppError, type FieldProblem } from '@countersign/contract'

/** The most problems that are listed, since a body may have tens of thousands of mistakes. */
const mostListed = 100

/** A range that ends before it begins is a mistake of the caller, so it does not get an empty answer. */
export function assertForward(fromMs: number, toMs: number): void {
  if (fromMs >= toMs) throw validationError([{ path: 'from', message: 'must be before to' }])
}

export function validationError(fields: readonly FieldProblem[]): AppError {
  const [first] = fields
  const where = first ? `${first.path || 'body'}: ${first.message}` : 'invalid'
  const more = fields.length > 1 ? ` (and ${fields.length - 1} more)` : ''
  return new AppError('ValidationError', `The request is not valid. ${where}${more}`, {
    fields: fields.slice(0, mostListed),
  })
}
