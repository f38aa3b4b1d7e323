/** Routes for signing in with a passkey, proving again who one is, and managing passkeys. */
import { AppError, type PasskeyAnswer, sayDuration } from '@countersign/contract'
import {
  addPasskey,
  knownPerson,
  listPasskeys,
  offerPasskey,
  offerPasskeyProof,
  offerPasskeySignIn,
  type Passkey,
  type PasskeyDependencies,
  proveWithPasskey,
  type RefusalDependencies,
  removePasskey,
  renamePasskey,
  signInWithPasskey,
  type WindowBudget,
} from '../../domain/members/index.ts'
import { callerKey } from '../caller-address.ts'
import { type Route, route } from '../route.ts'
import { createSignInRecords, visitorOf } from './sign-in-records.ts'

type Dependencies = PasskeyDependencies &
  RefusalDependencies & {
    readonly challenges: { readonly ofStrangers: WindowBudget; readonly ofKnown: WindowBudget }
  }

export function passkeyRoutes(dependencies: Dependencies): Route[] {
  return [...signInRoutes(dependencies), ...ownRoutes(dependencies)]
}

function signInRoutes(dependencies: Dependencies): Route[] {
  const { runRecorded } = createSignInRecords(dependencies)
  const { challenges } = dependencies
  return [
    route('startPasskeySignIn', async ({ callerAddress, knownToken }) => {
      const known = knownPerson(dependencies, knownToken())
      // Strangers cannot use up what is left for browsers in which somebody has signed in before.
      if (known === null) assertWithin(challenges.ofStrangers, callerKey(callerAddress))
      else assertWithin(challenges.ofKnown, known)
      return { options: { ...(await offerPasskeySignIn(dependencies)) } }
    }),
    route('signInWithPasskey', async ({ body, ...call }) => {
      const { personId, cookies } = await runRecorded(call, 'signInWithPasskey', () =>
        signInWithPasskey(dependencies, body.credential, visitorOf(call)),
      )
      call.setSession(cookies)
      return { person_id: personId }
    }),
    route('startPasskeyProof', async (_, { person }) => ({
      options: { ...(await offerPasskeyProof(dependencies, person.personId)) },
    })),
    route('proveWithPasskey', async ({ body, ...call }, actor) => {
      const attempt = { ...call, personId: actor.person.personId }
      await runRecorded(attempt, 'proveWithPasskey', () =>
        proveWithPasskey(dependencies, actor, body.credential, visitorOf(call)),
      )
      return { is_fresh: true as const }
    }),
  ]
}

/** Anybody can ask for a challenge, and each is a row for five minutes, so their number is bounded. */
function assertWithin(challenges: WindowBudget, who: string): void {
  if (challenges.take(who) !== 'no') return
  const retry_after = challenges.secondsLeft()
  throw new AppError(
    'RateLimitExceededError',
    `Too many requests from this address (scope ip). Try again in ${sayDuration(retry_after)}.`,
    {
      scope: 'ip',
      retry_after,
    },
  )
}

function ownRoutes(dependencies: Dependencies): Route[] {
  return [
    route('listPasskeys', async (_, { person }) => ({
      passkeys: (await listPasskeys(dependencies, person.personId)).map(passkeyAnswer),
    })),
    route('startPasskey', async (_, actor) => ({
      options: { ...(await offerPasskey(dependencies, actor)) },
    })),
    route('addPasskey', async ({ body }, actor) =>
      passkeyAnswer(await addPasskey(dependencies, actor, body)),
    ),
    route('renamePasskey', async ({ params, body }, { person }) =>
      passkeyAnswer(await renamePasskey(dependencies, person.personId, params.passkey_id ?? '', body.name)),
    ),
    route('removePasskey', async ({ params }, actor) => ({
      passkey_id: await removePasskey(dependencies, actor, params.passkey_id ?? ''),
    })),
  ]
}

const passkeyAnswer = (passkey: Passkey): PasskeyAnswer => ({
  passkey_id: passkey.passkeyId,
  name: passkey.name,
  is_backed_up: passkey.isBackedUp,
  is_suspect: passkey.isSuspect,
  created_at: passkey.createdAt.toISOString(),
  last_used_at: passkey.lastUsedAt?.toISOString() ?? null,
})
