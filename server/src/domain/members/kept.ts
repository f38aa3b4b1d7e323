/** Which tables of this module expire, and how. */
import type { Kept } from '../../platform/kept.ts'
import { expireAudit } from './audit/expire.ts'

export const keptByMembers: readonly Kept[] = [
  { table: 'change_replays', goes: 'by row' },
  { table: 'invitations', goes: 'by row' },
  { table: 'sessions', goes: 'by row' },
  { table: 'sign_in_links', goes: 'by row' },
  { table: 'passkey_challenges', goes: 'by row' },
  // The rest of a chain begins at a new anchor.
  { table: 'audit_entries', goes: expireAudit },
]
