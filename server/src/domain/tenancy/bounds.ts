/** How many of something one owner may have, since the cost of lists, reloads and searches grows with them. */
import { AppError } from '@countersign/contract'

export interface Bound {
  readonly most: number
  /** The owner and what it has, for the message: `50 provider accounts`. */
  readonly owner: string
  readonly things: string
  readonly advice: string
}

export const appsOfCompany: Bound = {
  most: 100,
  owner: 'company',
  things: 'apps',
  advice: 'Use one of them for another purpose, or another company.',
}
export const liveKeysOfApp: Bound = {
  most: 50,
  owner: 'app',
  things: 'keys that are not revoked',
  advice: 'Revoke one that is no longer used.',
}
export const teamOfCompany: Bound = {
  most: 200,
  owner: 'company',
  things: 'members and open invitations',
  advice: 'Remove a member or withdraw an invitation.',
}
export const providersOfCompany: Bound = {
  most: 50,
  owner: 'company',
  things: 'provider accounts',
  advice: 'Remove one that is no longer used.',
}
export const endpointsOfApp: Bound = {
  most: 10,
  owner: 'app',
  things: 'webhook endpoints',
  advice: 'Remove one that is no longer used.',
}
export const providersOfOperator: Bound = {
  most: 500,
  owner: 'operator',
  things: 'provider accounts',
  advice: 'Remove one that is no longer used.',
}
export const exceptionsOfCompany: Bound = {
  most: 1_000,
  owner: 'company',
  things: 'recipients that are blocked or allowed',
  advice: 'Lift one that is no longer needed.',
}

export function limitReached({ most, owner, things, advice }: Bound): AppError {
  const message = `The ${owner} already has ${most} ${things}, which is the maximum. ${advice}`
  return new AppError('LimitReachedError', message, {
    fields: [{ path: '', message: `is more than the maximum of ${most} ${things}` }],
    limit: most,
  })
}
