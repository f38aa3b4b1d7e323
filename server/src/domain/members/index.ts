export type { SessionCookies } from './admit.ts'
export {
  type AuditDependencies,
  type AuditEntry,
  listAudit,
  type OpenEntry,
  openAuditEntry,
  recordAudit,
} from './audit.ts'
export { notRecorded } from './briefly.ts'
export { assertNotOwn, closeCompany } from './close-company.ts'
export { eraseGone } from './erase-gone.ts'
export { findFirstCompany } from './first-company-store.ts'
export { type InviteDependencies, mailInvitation, ownTexts } from './invitation-mail.ts'
export { keptByMembers } from './kept.ts'
export { knownSeconds } from './known-browser.ts'
export { namePeople } from './name-people.ts'
export {
  demoteOperator,
  getOperatorByEmail,
  listOperators,
  type Operator,
  removeOperator,
} from './operators.ts'
export { type PasskeyDependencies, relyingPartyOf, webauthn } from './passkey.ts'
export type { Passkey } from './passkey-store.ts'
export { addPasskey, listPasskeys, offerPasskey, removePasskey, renamePasskey } from './passkeys.ts'
export type { MemberDependencies, Membership, Person } from './person.ts'
export { proveWithCode, startProof } from './prove.ts'
export { type RefusalDependencies, recordRefusal } from './record-refusal.ts'
export {
  changeOnce,
  findReplay,
  type KeyedChange,
  type Replay,
  type ReplayDependencies,
} from './replays.ts'
export { findSubject, type Subject, subjectNamed } from './scope-store.ts'
export {
  endOtherSessions,
  endSession,
  findSignedIn,
  listSessions,
  type SignedIn,
  type Visitor,
} from './sessions.ts'
export {
  findMasked,
  type SignInDependencies,
  signInWithCode,
  startSignIn,
} from './sign-in.ts'
export {
  type LinkFor,
  listSignInLinks,
  makeSignInLink,
  revokeSignInLink,
  type SignInLink,
  signInLinkUrl,
  signInWithLink,
} from './sign-in-links.ts'
export { assertPasskey, getSignInRules, setSignInRules } from './sign-in-rules.ts'
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
export { offerPasskeyProof, offerPasskeySignIn, proveWithPasskey, signInWithPasskey } from './use-passkey.ts'
export { type CheckedChain, verifyAudit } from './verify-audit.ts'
export { challengeBudget, refusalBudget, WindowBudget } from './window-budget.ts'
