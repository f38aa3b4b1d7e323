export type { SessionCookies } from './admit.ts'
export {
  type AuditEntry,
  listAudit,
  type OpenEntry,
  openAuditEntry,
  recordAudit,
} from './audit/audit.ts'
export { notRecorded } from './audit/briefly.ts'
export { type RefusalDependencies, recordRefusal } from './audit/record-refusal.ts'
export { type CheckedChain, verifyAudit } from './audit/verify.ts'
export { closeCompany } from './close-company.ts'
export { eraseGone } from './erase-gone.ts'
export { findFirstCompany } from './first-company-store.ts'
export { type InviteDependencies, mailInvitation, ownTexts } from './invitation-mail.ts'
export { keptByMembers } from './kept.ts'
export { knownPerson, knownSeconds } from './known-browser.ts'
export { namePeople } from './name-people.ts'
export {
  demoteOperator,
  getOperatorByEmail,
  listOperators,
  removeOperator,
} from './operators.ts'
export { type PasskeyDependencies, relyingPartyOf, webauthn } from './passkeys/passkey.ts'
export { addPasskey, listPasskeys, offerPasskey, removePasskey, renamePasskey } from './passkeys/passkeys.ts'
export type { Passkey } from './passkeys/store.ts'
export {
  offerPasskeyProof,
  offerPasskeySignIn,
  proveWithPasskey,
  signInWithPasskey,
} from './passkeys/use-passkey.ts'
export type { MemberDependencies, Membership } from './person.ts'
export { proveWithCode, startProof } from './prove.ts'
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
  findSignedInAgain,
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
  listSignInLinks,
  makeSignInLink,
  revokeSignInLink,
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
export { challengeBudget, refusalBudget, WindowBudget } from './window-budget.ts'
