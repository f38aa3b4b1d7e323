/** A call of the management API: finds its subject, checks the caller's rights, and records it in the audit trail. */
import type { Operation, Role } from '@countersign/contract'
import type { KeyedChange, ReplayDependencies, Subject } from '../domain/members/index.ts'
import { operatorOwner } from '../platform/tenant.ts'
import { type Audited, isChange } from './audit.ts'
import { assertDeclared, authorise } from './authorise.ts'
import { csvPageRows, type ReadListPage } from './csv.ts'
import type { createLocate, Locate } from './locate.ts'
import { startOnce } from './once.ts'
import { type Actor, type AnyCaller, type Authenticate, isActor, personOf } from './principal.ts'
import { assertProven } from './proven.ts'
import type { CountLookup } from './recipient-lookups.ts'
import { type PlainIncoming, type Route, scopeOf } from './route.ts'

export interface ManagementDependencies {
  readonly locate: ReturnType<typeof createLocate>
  readonly audited: Audited
  readonly replays: ReplayDependencies
}

interface CallDependencies extends ManagementDependencies {
  readonly countLookup: CountLookup
}

interface Call {
  readonly route: Route
  readonly actor: Actor
  readonly incoming: PlainIncoming
}

export async function manage(
  { locate, audited, replays, countLookup }: CallDependencies,
  { route, actor, incoming }: Call,
  identifyAgain: () => ReturnType<Authenticate>,
): Promise<unknown> {
  const { operation } = route
  const locateCall = locate(operation, actor, incoming)
  return audited({ ...incoming, operation, actor, locate: locateCall }, async (begin) => {
    const allowed = await allow(operation, actor, locateCall, incoming)
    const parsed = route.parse(incoming)
    countLookups(countLookup, actor, allowed.role, parsed)
    const one = await startOnce(replays, keyedChangeOf(operation, actor, allowed.subject, parsed))
    const run = async () => {
      // While a change waited for its body or for the audit trail, the person may have lost the right to make it.
      const isAskedAgain = isChange(operation) && actor.kind === 'person'
      const now = isAskedAgain ? knownActor(await identifyAgain()) : actor
      const { scope, role } =
        now === actor ? allowed : await allow(operation, now, locate(operation, now, incoming), incoming)
      return route.handle({ ...parsed, scope, role }, now, one.once)
    }
    return begin(allowed.subject, parsed.body, run, one)
  })
}

function countLookups(
  count: CountLookup,
  actor: Actor,
  role: Role | null,
  { body, query }: Pick<PlainIncoming, 'body' | 'query'>,
): void {
  const personId = personOf(actor)
  if (personId === null) return
  for (const input of [body, query]) count(personId, role, input)
}

function knownActor(caller: AnyCaller): Actor {
  if (!isActor(caller)) throw new Error('who was known is nobody')
  return caller
}

/** Null without a key. A key counts for one caller, one operation and one path. */
function keyedChangeOf(
  { isOnce, method, path }: Operation,
  actor: Actor,
  subject: Subject | null,
  { idempotencyKey, params, query, body }: PlainIncoming,
): KeyedChange | null {
  const key = isOnce ? idempotencyKey() : null
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
 * Reads the pages of a list one after another, each as a call of its own would return it. A slow reader may take an hour
 * for them, in which the caller may lose the right to read on: so they are identified and allowed again for each page.
 */
export async function pagesFor(
  { locate, countLookup }: Pick<CallDependencies, 'locate' | 'countLookup'>,
  { route, actor, incoming }: Call,
  identifyAgain: () => ReturnType<Authenticate>,
): Promise<{ who: string; read: ReadListPage }> {
  const { operation } = route
  const allowNow = (caller: Actor) => allow(operation, caller, locate(operation, caller, incoming), incoming)
  const { scope, role } = await allowNow(actor)
  const parsed = { ...route.parse(incoming), scope, role }
  countLookups(countLookup, actor, role, parsed)
  const query = Object(parsed.query)
  const read: ReadListPage = async (cursor) => {
    if (cursor !== null) await allowNow(knownActor(await identifyAgain()))
    return route.handle(
      { ...parsed, query: { ...query, limit: csvPageRows, cursor: cursor ?? query.cursor } },
      actor,
    )
  }
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
