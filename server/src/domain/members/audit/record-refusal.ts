/** Records what was tried and refused. If that fails, it is only logged: the answer must not fail because of it. */
import type { AppError } from '@countersign/contract'
import type { WindowBudget } from '../window-budget.ts'
import { type AuditDependencies, type AuditNote, recordAudit } from './audit.ts'

export interface RefusalDependencies extends AuditDependencies {
  /** Two budgets, so that a flood of strangers does not keep refusals of signed-in people out of the trail. */
  readonly refusals: { readonly strangers: WindowBudget; readonly known: WindowBudget }
  readonly onUnrecorded: (error: unknown) => void
}

/** `who` is what refusals are counted by: a person, the token, or an address. */
export async function recordRefusal(
  dependencies: RefusalDependencies,
  who: string,
  note: AuditNote,
  errorName: AppError['errorName'] | 'WrongCode',
): Promise<void> {
  const { strangers, known } = dependencies.refusals
  const allowed = (note.actor === 'stranger' ? strangers : known).take(who)
  if (allowed === 'no') return
  const further =
    allowed === 'yes_and_no_more' ? { further_refusals: 'not recorded for up to ten minutes' } : {}
  const changes = { ...note.changes, ...further }
  await recordAudit(dependencies, { ...note, changes }, errorName).catch(dependencies.onUnrecorded)
}
