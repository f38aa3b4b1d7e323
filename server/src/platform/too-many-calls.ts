import { AppError } from '@countersign/contract'

export const tooManyCallsSeconds = 1

/** The refusal of a call for which there is no room to wait. */
export const tooManyCalls = () =>
  new AppError('UnavailableError', 'Too many calls are waiting. Try again shortly.', {
    retry_after: tooManyCallsSeconds,
  })
