/** Operators, and the one-time links that the command line gives out. */
import {
  demoteOperator,
  listOperators,
  listSignInLinks,
  type MemberDependencies,
  removeOperator,
  revokeSignInLink,
} from '../../domain/members/index.ts'
import { type Route, route } from '../route.ts'

export function operatorRoutes(dependencies: MemberDependencies): Route[] {
  return [
    route('listOperators', async () => ({
      operators: (await listOperators(dependencies)).map((operator) => ({
        person_id: operator.personId,
        email: operator.email,
        name: operator.name,
        created_at: operator.createdAt.toISOString(),
        last_sign_in_at: operator.lastSignInAt?.toISOString() ?? null,
      })),
    })),
    route('demoteOperator', async ({ params }) => ({
      person_id: await demoteOperator(dependencies, params.person_id ?? ''),
    })),
    route('removeOperator', async ({ params }) => ({
      person_id: await removeOperator(dependencies, params.person_id ?? ''),
    })),
    route('listSignInLinks', async () => ({
      links: (await listSignInLinks(dependencies)).map((link) => ({
        link_id: link.linkId,
        email: link.email,
        is_operator: link.isOperator,
        created_at: link.createdAt.toISOString(),
        expires_at: link.expiresAt.toISOString(),
      })),
    })),
    route('revokeSignInLink', async ({ params }) => ({
      link_id: await revokeSignInLink(dependencies, params.link_id ?? ''),
    })),
  ]
}
