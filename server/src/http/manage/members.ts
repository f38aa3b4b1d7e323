/** The team of a company: members, invitations, and how they must sign in. */
import type { MemberAnswer } from '@countersign/contract'
import {
  changeRole,
  getSignInRules,
  type Invitation,
  type InviteDependencies,
  inviteMember,
  listTeam,
  type Member,
  mailInvitation,
  removeMember,
  setSignInRules,
  withdrawInvitation,
} from '../../domain/members/index.ts'
import { usableAddress } from '../caller-address.ts'
import { isOperator } from '../principal.ts'
import { type Route, route } from '../route.ts'

export interface MemberRoutesDependencies extends InviteDependencies {
  readonly publicUrl: string
}

export function memberRoutes(dependencies: MemberRoutesDependencies): Route[] {
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
