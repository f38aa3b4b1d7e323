/** The person who is signed in, and their sessions. */
import type { MeAnswer } from '@countersign/contract'
import {
  endOtherSessions,
  endSession,
  listMemberships,
  listPasskeys,
  listSessions,
  renamePerson,
} from '../../domain/members/index.ts'
import type { Database } from '../../platform/database.ts'
import type { PersonActor } from '../principal.ts'
import { isHidden } from '../proven.ts'
import { type Route, route } from '../route.ts'

export interface MeDependencies {
  readonly database: Database
  readonly publicUrl: string
  /** The URL of the simulator's phones, in a sandbox. */
  readonly phonesUrl: string | null
}

export function meRoutes(dependencies: MeDependencies): Route[] {
  const { publicUrl, phonesUrl } = dependencies
  const me = async (actor: PersonActor, name = actor.person.name): Promise<MeAnswer> => {
    const { person, sessionId, isFresh } = actor
    const memberships = await listMemberships(dependencies, person.personId)
    return {
      person_id: person.personId,
      email: person.email,
      name,
      is_operator: person.isOperator,
      session_id: sessionId,
      is_fresh: isFresh,
      has_passkey: (await listPasskeys(dependencies, person.personId)).length > 0,
      companies: memberships.map((membership) => ({
        company_id: membership.companyId,
        name: membership.companyName,
        role: membership.role,
        needs_passkey: isHidden(actor, membership),
      })),
      installation: { base_url: publicUrl, phones_url: phonesUrl },
    }
  }
  return [
    route('getMe', (_, actor) => me(actor)),
    route('updateMe', async ({ body }, actor) => {
      await renamePerson(dependencies, actor.person.personId, body.name)
      return me(actor, body.name)
    }),
    route('listSessions', async (_, { person, sessionId }) => {
      const sessions = await listSessions(dependencies, person.personId)
      return {
        sessions: sessions.map((session) => ({
          session_id: session.sessionId,
          is_current: session.sessionId === sessionId,
          user_agent: session.userAgent,
          address: session.address,
          created_at: session.createdAt.toISOString(),
          last_used_at: session.lastUsedAt.toISOString(),
          expires_at: session.expiresAt.toISOString(),
        })),
      }
    }),
    route('endSession', async ({ params, setSession }, { person, sessionId }) => {
      const ended = await endSession(dependencies, person.personId, params.session_id ?? '')
      if (ended === sessionId) setSession(null)
      return { session_id: ended }
    }),
    route('endOtherSessions', async (_, actor) => ({ ended: await endOtherSessions(dependencies, actor) })),
  ]
}
