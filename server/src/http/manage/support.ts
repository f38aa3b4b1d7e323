/** Routes for what support does for one recipient: parse, call, present. */
import type { AccountChoice } from '@countersign/contract'
import { noSuch } from '../../domain/answers/index.ts'
import { namePeople } from '../../domain/members/index.ts'
import { type AppRef, getApp, inForce } from '../../domain/tenancy/index.ts'
import {
  cancelVerification,
  exceptRecipient,
  findVerification,
  forgetRecipient,
  type Issue,
  type KnownRecipient,
  liftException,
  listExceptions,
  recipientOfWritten,
  resend,
} from '../../domain/verification/index.ts'
import type { Clock } from '../../platform/clock.ts'
import type { OtpId } from '../../platform/ids.ts'
import { personOf } from '../principal.ts'
import { type Route, route } from '../route.ts'
import {
  exceptionAnswer,
  otpIdOf,
  presentException,
  type ShowDependencies,
  verificationAnswer,
} from './one-verification.ts'
import { pageOf } from './page.ts'

export interface SupportDependencies extends ShowDependencies {
  readonly clock: Clock
  readonly issue: Issue
  readonly routingAccounts: AccountChoice
  readonly nudgeEvents: (app: AppRef) => void
}

export function supportRoutes(dependencies: SupportDependencies): Route[] {
  return [
    route('cancelVerification', async ({ scope, role, params }) => {
      const otpId = otpIdOf(params)
      await cancelVerification(dependencies, scope.app, otpId)
      dependencies.nudgeEvents(scope.app)
      return verificationAnswer(dependencies, { app: scope.app, role }, otpId)
    }),
    route('resendVerification', async ({ scope, role, params, body }) => {
      const otpId = otpIdOf(params)
      // As with a server key: the backend could have asked for the same.
      const app = inForce(await getApp(dependencies, scope.app), dependencies.routingAccounts)
      const caller = { app, keyId: null, kind: 'server' } as const
      await resend(dependencies, caller, { otpId, channel: body.channel ?? null })
      return verificationAnswer(dependencies, { app: scope.app, role }, otpId)
    }),
    route('eraseVerification', async ({ scope, params }) => {
      const { recipientHash } = await recipientOf(dependencies, scope.app, otpIdOf(params))
      return {
        verifications: await forgetRecipient(dependencies, scope.app.companyId, recipientHash),
      }
    }),
    route('exceptVerification', async ({ scope, params, body }, actor) => {
      const recipient = await recipientOf(dependencies, scope.app, otpIdOf(params))
      const wanted = { kind: body.kind, personId: personOf(actor) }
      const put = await exceptRecipient(dependencies, scope.app.companyId, recipient, wanted)
      return exceptionAnswer(dependencies, put)
    }),
    route('listExceptions', async ({ scope, query }) => {
      const { rows, nextCursor } = await listExceptions(dependencies, scope.companyId, pageOf(query))
      const emails = await namePeople(dependencies, rows)
      return { exceptions: rows.map((row) => presentException(row, emails)), next_cursor: nextCursor }
    }),
    route('exceptRecipient', async ({ scope, body }, actor) => {
      const recipient = recipientOfWritten(dependencies.keyring(), body.recipient, body.country ?? null)
      const wanted = { kind: body.kind, personId: personOf(actor) }
      return exceptionAnswer(
        dependencies,
        await exceptRecipient(dependencies, scope.companyId, recipient, wanted),
      )
    }),
    route('liftException', async ({ scope, params }) => {
      const exceptionId = params.exception_id ?? ''
      await liftException(dependencies, scope.companyId, exceptionId)
      return { exception_id: exceptionId }
    }),
  ]
}

/** Throws "not found" for a recipient that was erased. */
async function recipientOf(
  { database }: Pick<SupportDependencies, 'database'>,
  { companyId, appId }: AppRef,
  otpId: OtpId,
): Promise<KnownRecipient> {
  const found = await findVerification(database.of(companyId), appId, otpId)
  if (!found?.verification.recipientHash) throw noSuch('recipient')
  const { recipientHash, maskedRecipient } = found.verification
  return { recipientHash, maskedRecipient }
}
