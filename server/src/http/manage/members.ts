/** The person who is signed in, the team of a company, and the audit trail. */
import type { AuditAnswer, MeAnswer, MemberAnswer } from '@countersign/contract'
import type { Page } from '../../domain/answers/index.ts'
import {
  type AuditEntry,
  changeRole,
  endOtherSessions,
  endSession,
  getSignInRules,
  type Invitation,
  type InviteDependencies,
  inviteMember,
  listAudit,
  listMemberships,
  listPasskeys,
  listSessions,
  listTeam,
  type Member,
  mailInvitation,
  removeMember,
  renamePerson,
  setSignInRules,
  withdrawInvitation,
} from '../../domain/members/index.ts'
import { usableAddress } from '../caller-address.ts'
import { isOperator, type PersonActor } from '../principal.ts'
import { isHidden } from '../proven.ts'
import { type Route, route } from '../route.ts'
import { pageOf } from './page.ts'

export interface MemberRoutesDependencies extends InviteDependencies {
  readonly publicUrl: string
  /** The URL of the simulator's phones, in a sandbox. */
  readonly phonesUrl: string | null
}

export function memberRoutes(dependencies: MemberRoutesDependencies): Route[] {
  return [...personRoutes(dependencies), ...teamRoutes(dependencies), ...auditRoutes(dependencies)]
}

function personRoutes(dependencies: MemberRoutesDependencies): Route[] {
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

function teamRoutes(dependencies: MemberRoutesDependencies): Route[] {
  return [
    route('listMembers', async ({ scope }) => {
      const { members, invitations } = await listTeam(dependencies, scope.companyId)
      return { members: members.map(memberAnswer), invitations: invitations.map(invitationAnswer) }
    }),
    route('updateMember', async ({ scope, params, body }) =>
      memberAnswer(await changeRole(dependencies, scope.companyId, params.person_id ?? '', body.role)),
    ),
    route('removeMember', async ({ scope, params }) => ({
      person_id: await removeMember(dependencies, scope.companyId, params.person_id ?? ''),
    })),
    route('inviteMember', async ({ scope, body, callerAddress }, _actor, once) => {
      const invitation = await once(async (database) =>
        invitationAnswer(await inviteMember({ ...dependencies, database }, scope.companyId, body)),
      )
      const { invitation_id: invitationId, email } = invitation
      const address = usableAddress(callerAddress)
      const mailed =
        body.mail && (await mailInvitation(dependencies, scope.companyId, { invitationId, email }, address))
      return {
        ...invitation,
        url: `${dependencies.publicUrl}/dashboard/sign-in`,
        mailed,
      }
    }),
    route('getSignInRules', async ({ scope }) =>
      rulesAnswer(await getSignInRules(dependencies.database, scope.companyId)),
    ),
    route('putSignInRules', async ({ scope, body }, actor) => {
      const proofs = isOperator(actor) || actor.kind === 'token' ? null : actor.proofs
      const rules = { isPasskeyRequired: body.passkey_required }
      return rulesAnswer(await setSignInRules(dependencies, scope.companyId, rules, proofs))
    }),
    route('withdrawInvitation', async ({ scope, params }) => ({
      invitation_id: await withdrawInvitation(dependencies, scope.companyId, params.invitation_id ?? ''),
    })),
  ]
}

function auditRoutes(dependencies: MemberRoutesDependencies): Route[] {
  return [
    route('listAudit', async ({ scope, query }) =>
      auditAnswer(
        await listAudit(dependencies, scope.companyId, {
          ...pageOf(query),
          personId: query.person_id ?? null,
        }),
      ),
    ),
    route('listAllAudit', async ({ query }) =>
      auditAnswer(await listAudit(dependencies, null, pageOf(query))),
    ),
  ]
}

const rulesAnswer = ({ isPasskeyRequired }: { readonly isPasskeyRequired: boolean }) => ({
  passkey_required: isPasskeyRequired,
})

const memberAnswer = (member: Member): MemberAnswer => ({
  person_id: member.personId,
  email: member.email,
  name: member.name,
  role: member.role,
  joined_at: member.joinedAt.toISOString(),
  last_sign_in_at: member.lastSignInAt?.toISOString() ?? null,
})

const invitationAnswer = ({ invitationId, email, role, createdAt, expiresAt }: Invitation) => ({
  invitation_id: invitationId,
  email,
  role,
  created_at: createdAt.toISOString(),
  expires_at: expiresAt.toISOString(),
})

const auditAnswer = ({ rows, nextCursor }: Page<AuditEntry>): AuditAnswer => ({
  entries: rows.map((entry) => ({
    audit_id: entry.auditId,
    at: entry.at.toISOString(),
    actor: { kind: entry.actor, person_id: entry.personId, email: entry.email },
    action: entry.action,
    company_id: entry.companyId,
    app_id: entry.appId,
    subject: entry.subject,
    changes: { ...entry.changes },
    outcome: entry.outcome,
    error_type: entry.errorType,
    is_certain: entry.outcome !== 'unknown',
    address: entry.address,
    request_id: entry.requestId,
  })),
  next_cursor: nextCursor,
})
