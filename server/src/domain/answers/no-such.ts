import { AppError } from '@countersign/contract'

/** Things that do not exist and things of another company get the same answer. */
export const noSuch = (noun: string) => new AppError('NotFoundError', `There is no such ${noun}.`)
