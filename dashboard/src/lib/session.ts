/** Who is signed in, and what they may do. */

import type { MeAnswer, Role } from '@countersign/contract'
import { useSuspenseQuery } from '@tanstack/react-query'
import { roles } from '#contract'
import { queryOf } from './queries.ts'

export const meQuery = queryOf('getMe', {})

export const useMe = (): MeAnswer => useSuspenseQuery(meQuery).data

export interface Permission {
  readonly may: boolean
  /** Why they may not, in words for the person; absent if they may. */
  readonly reason: string | undefined
}

const reasons: Readonly<Record<Role | 'operator', string>> = {
  viewer: 'You are not a member of this company.',
  developer: 'Viewers cannot change this. Ask a developer or an owner of the company.',
  owner: 'Only an owner of the company can do this.',
  operator: 'Only the operator of this installation can do this.',
}

export function permissionOf(me: MeAnswer, companyId: string | null, needed: Role | 'operator'): Permission {
  const role = me.companies.find((company) => company.company_id === companyId)?.role
  const may =
    me.is_operator ||
    (needed !== 'operator' && role !== undefined && roles.indexOf(role) >= roles.indexOf(needed))
  return { may, reason: may ? undefined : reasons[needed] }
}

/** Whether the person may do what needs this role in this company. */
export const usePermission = (companyId: string | null, needed: Role | 'operator'): Permission =>
  permissionOf(useMe(), companyId, needed)
