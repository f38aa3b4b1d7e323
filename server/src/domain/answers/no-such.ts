import { AppError } from '@countersign/contract'

/** What is not there, and what is another company's: the two are told alike. */
export const noSuch = (noun: string) => new AppError('NotFoundError', `There is no such ${noun}.`)
