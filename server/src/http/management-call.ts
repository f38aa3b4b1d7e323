/** A call of the management API: finds its subject, checks the caller's rights, and records it in the audit trail. */
import type { Operation } from '@countersign/contract'
import type { KeyedChange, ReplayDependencies, Subject } from '../domain/members/index.ts'
import { operatorOwner } from '../platform/tenant.ts'
import { type Audited, isChange } from './audit.ts'
import { assertDeclared, authorise } from './authorise.ts'
import { csvPageRows, type ReadListPage } from './csv.ts'
import { idempotencyKeyIn } from './header.ts'
import type { createLocate, Locate } from './locate.ts'
import { startOnce } from './once.ts'
import { type Actor, type Authenticate, isActor, personOf } from './principal.ts'
import { assertProven } from './proven.ts'
import { type PlainIncoming, type Route, scopeOf } from './route.ts'

export interface ManagementDependencies {
  readonly locate: ReturnType<typeof createLocate>
  readonly audited: Audited
  readonly replays: ReplayDependencies
}

interface Call {
  readonly route: Route
  readonly actor: Actor
  readonly incoming: PlainIncoming
}

export async function manage(
  { locate, audited, replays }: ManagementDependencies,
  { route, actor, incoming }: Call,
  identifyAgain: () => ReturnType<Authenticate>,
): Promise<unknown> {
  const { operation } = route
  const locateCall = locate(operation, actor, incoming)
  return audited({ ...incoming, operation, actor, locate: locateCall }, async (begin) => {
    const allowed = await allow(operation, actor, locateCall, incoming)
    const parsed = route.parse(incoming)
    const one = await startOnce(replays, keyedChangeOf(operation, actor, allowed.subject, parsed))
    const run = async () => {
      // While a change waited for its body or for the audit trail, the person may have lost the right to make it.
      const now = isChange(operation) && actor.kind === 'person' ? await identifyAgain() : actor
      if (!isActor(now)) throw new Error('who was known is nobody')
      const { scope, role } =
        now === actor ? allowed : await allow(operation, now, locate(operation, now, incoming), incoming)
      return route.handle({ ...parsed, scope, role }, now, one.once)
    }
    return begin(allowed.subject, parsed.body, run, one)
  })
}

/** Null without a key. A key counts for one caller, one operation and one path. */
function keyedChangeOf(
  { isOnce, method, path }: Operation,
  actor: Actor,
  subject: Subject | null,
  { singleHeader, params, query, body }: PlainIncoming,
): KeyedChange | null {
  const key = isOnce ? idempotencyKeyIn(singleHeader) : null
  if (key === null) return null
  return {
    ownerId: subject?.ownerId ?? operatorOwner,
    caller: personOf(actor) ?? actor.kind,
    operation: `${method} ${path}`,
    params,
    key,
    request: { query, body },
  }
}

/**
 * Reads the pages of a list one after another, each as a call of its own would return it. Access is checked once: a
 * caller who may read one page may read them all.
 */
export async function pagesFor(
  { locate }: ManagementDependencies,
  { route, actor, incoming }: Call,
): Promise<{ who: string; read: ReadListPage }> {
  const { operation } = route
  const { scope, role } = await allow(operation, actor, locate(operation, actor, incoming), incoming)
  const parsed = { ...route.parse(incoming), scope, role }
  const query = Object(parsed.query)
  const read: ReadListPage = (cursor) =>
    route.handle(
      { ...parsed, query: { ...query, limit: csvPageRows, cursor: cursor ?? query.cursor } },
      actor,
    )
  return { who: scope?.companyId ?? (actor.kind === 'person' ? actor.person.personId : actor.kind), read }
}

/** Finds the subject of the call and the caller's role there, and throws if the caller may not make the call. */
async function allow(operation: Operation, actor: Actor, locateCall: Locate, { query }: PlainIncoming) {
  // If the query names the company, it is checked before anything is looked up by it.
  if (operation.company === 'query') assertDeclared(operation, query)
  const { subject, membership } = await authorise(operation, actor, locateCall)
  // Only now, so that things of others are "not found" whatever else the call says.
  assertDeclared(operation, query)
  assertProven(operation, actor, membership)
  return { subject, scope: scopeOf(subject), role: membership?.role ?? null }
}
