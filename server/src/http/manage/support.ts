/** What somebody does about one person: parse, call, present. */
import { noSuch } from '../../domain/answers/index.ts'
import { showVerification } from '../../domain/insight/index.ts'
import type { Providers } from '../../domain/routing/index.ts'
import type { AppRef } from '../../domain/tenancy/index.ts'
import { cancelVerification } from '../../domain/verification/index.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Database } from '../../platform/database.ts'
import { type OtpId, parseId } from '../../platform/ids.ts'
import type { Keyring } from '../../platform/keyring.ts'
import { type Route, route } from '../route.ts'

export interface SupportDependencies {
  readonly database: Database
  readonly clock: Clock
  readonly keyring: () => Keyring
  readonly providers: Providers
  readonly nudgeEvents: (app: AppRef) => void
}

export function supportRoutes(dependencies: SupportDependencies): Route[] {
  return [
    route('cancelVerification', async ({ scope, params }) => {
      const otpId = otpIdOf(params)
      await cancelVerification(dependencies, scope.app, otpId)
      dependencies.nudgeEvents(scope.app)
      return showVerification(dependencies, scope.app, otpId)
    }),
  ]
}

function otpIdOf(params: Readonly<Record<string, string>>): OtpId {
  const otpId = parseId('verification', params.otp_id ?? '')
  if (!otpId) throw noSuch('verification')
  return otpId
}
