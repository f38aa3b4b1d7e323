/** Signing in and out. */
import { parseClientIp } from '../../domain/guard/index.ts'
import {
  openAuditEntry,
  type SignInDependencies,
  signInWithCode,
  signInWithLink,
  startSignIn,
  type Visitor,
} from '../../domain/members/index.ts'
import { isLanguageTag } from '../../domain/messages/index.ts'
import type { PersonId } from '../../platform/ids.ts'
import { type Incoming, type Route, route } from '../route.ts'

type Call = Pick<Incoming<unknown, unknown, null>, 'callerAddress' | 'header' | 'requestId' | 'setSession'>

export function signInRoutes(dependencies: SignInDependencies): Route[] {
  async function begin(call: Call, action: string, personId: PersonId, token: string): Promise<void> {
    call.setSession(token)
    const entry = await openAuditEntry(dependencies, {
      companyId: null,
      actor: 'person',
      personId,
      action,
      appId: null,
      subject: personId,
      changes: {},
      requestId: call.requestId,
    })
    await entry.settle(null)
  }
  return [
    route('startSignIn', async ({ body, ...call }) => {
      const parsed = parseClientIp(call.callerAddress)
      const started = await startSignIn(dependencies, body.email, {
        clientIp: parsed.kind === 'usable' ? parsed.ip : null,
        locale: languageOf(call.header('accept-language')),
      })
      return {
        otp_id: started.otp_id,
        masked_recipient: started.masked_recipient,
        expires_at: started.expires_at,
      }
    }),
    route('signInWithCode', async ({ body, ...call }) => {
      const guess = { otpId: body.otp_id, code: body.code }
      const outcome = await signInWithCode(dependencies, guess, visitorOf(call))
      if (outcome.isMatch) await begin(call, 'signInWithCode', outcome.personId, outcome.token)
      return { matched: outcome.isMatch, attempts_remaining: outcome.attemptsRemaining }
    }),
    route('signInWithLink', async ({ body, ...call }) => {
      const { personId, token } = await signInWithLink(dependencies, body.token, visitorOf(call))
      await begin(call, 'signInWithLink', personId, token)
      return { person_id: personId }
    }),
  ]
}

const visitorOf = ({ callerAddress, header }: Call): Visitor => {
  const parsed = parseClientIp(callerAddress)
  return {
    userAgent: header('user-agent') ?? null,
    address: parsed.kind === 'malformed' ? null : callerAddress,
  }
}

/** The first that the browser asks for; what it cannot be read as is nobody's fault. */
function languageOf(header: string | undefined): string | null {
  const first = header?.split(',')[0]?.split(';')[0]?.trim() ?? ''
  return isLanguageTag(first) ? first : null
}
