export { type AuditEntry, listAudit, type OpenEntry, openAuditEntry } from './audit.ts'
export { type InviteDependencies, mailInvitation, ownTexts } from './invitation-mail.ts'
export type { MemberDependencies, Membership, Person } from './person.ts'
export { findSubject, type Subject, subjectNamed } from './scope.ts'
export { endSession, findSignedIn, listSessions, type SignedIn, type Visitor } from './sessions.ts'
export {
  makeSignInLink,
  ownCompanyId,
  type SignInDependencies,
  signInLinkUrl,
  signInWithCode,
  signInWithLink,
  startSignIn,
} from './sign-in.ts'
export {
  changeRole,
  type Invitation,
  inviteMember,
  listMemberships,
  listTeam,
  type Member,
  removeMember,
  renamePerson,
  withdrawInvitation,
} from './team.ts'
