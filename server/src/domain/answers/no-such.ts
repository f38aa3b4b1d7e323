import { AppError } from '@countersign/contract'

/** What does not exist and what is another company's get the same answer. */
export const noSuch = (noun: string) => new AppError('NotFoundError', `There is no such ${noun}.`)
