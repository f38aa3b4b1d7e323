/** Signing in and out. Who got in is in the audit trail, and who did not. */
import { AppError } from '@countersign/contract'
import {
  findMasked,
  type RefusalDependencies,
  recordAudit,
  recordRefusal,
  type SignInDependencies,
  signInWithCode,
  signInWithLink,
  startSignIn,
  type Visitor,
} from '../../domain/members/index.ts'
import { isLanguageTag } from '../../domain/messages/index.ts'
import type { PersonId } from '../../platform/ids.ts'
import { callerKey, knownAddress, usableAddress } from '../caller-address.ts'
import { type Incoming, type Route, route } from '../route.ts'

type Call = Pick<Incoming<unknown, unknown>, 'callerAddress' | 'header' | 'requestId' | 'setSession'>
type Dependencies = SignInDependencies & RefusalDependencies
type Door = ReturnType<typeof createDoor>

export function signInRoutes(dependencies: Dependencies): Route[] {
  const door = createDoor(dependencies)
  return codeRoutes(dependencies, door)
}

/** Lets in and keeps out, and writes down both. */
function createDoor(dependencies: Dependencies) {
  const noteOf = (call: Call, action: string) => ({
    companyId: null,
    actor: 'stranger' as const,
    personId: null,
    action,
    appId: null,
    subject: null,
    changes: {},
    address: knownAddress(call.callerAddress),
    requestId: call.requestId,
  })
  async function letIn(call: Call, action: string, personId: PersonId, token: string): Promise<void> {
    call.setSession(token)
    await recordAudit(dependencies, {
      ...noteOf(call, action),
      actor: 'person',
      personId,
      subject: personId,
    })
  }
  /** `email` as much of it as every page shows; never the code. */
  async function keepOut(
    call: Call,
    action: string,
    why: Parameters<typeof recordRefusal>[3],
    email: string | null = null,
  ): Promise<void> {
    const note = { ...noteOf(call, action), changes: email === null ? {} : { email } }
    await recordRefusal(dependencies, callerKey(call.callerAddress), note, why)
  }
  return {
    letIn,
    keepOut,
    /** Runs what may refuse, and writes the refusal down. */
    async tryDoor<Result>(
      call: Call,
      action: string,
      run: () => Promise<Result>,
      findEmail: () => Promise<string | null> = async () => null,
    ): Promise<Result> {
      try {
        return await run()
      } catch (error) {
        if (error instanceof AppError && error.errorName !== 'UnavailableError') {
          await keepOut(call, action, error.errorName, await findEmail())
        }
        throw error
      }
    },
  }
}

function codeRoutes(dependencies: Dependencies, { letIn, keepOut, tryDoor }: Door): Route[] {
  return [
    route('startSignIn', async ({ body, ...call }) => {
      const started = await startSignIn(dependencies, body.email, {
        clientIp: usableAddress(call.callerAddress),
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
      const findEmail = () => findMasked(dependencies, body.otp_id)
      const outcome = await tryDoor(
        call,
        'signInWithCode',
        () => signInWithCode(dependencies, guess, visitorOf(call)),
        findEmail,
      )
      if (outcome.isMatch) await letIn(call, 'signInWithCode', outcome.personId, outcome.token)
      else await keepOut(call, 'signInWithCode', 'WrongCode', await findEmail())
      return { matched: outcome.isMatch, attempts_remaining: outcome.attemptsRemaining }
    }),
    route('signInWithLink', async ({ body, ...call }) => {
      const { personId, token } = await tryDoor(call, 'signInWithLink', () =>
        signInWithLink(dependencies, body.token, visitorOf(call)),
      )
      await letIn(call, 'signInWithLink', personId, token)
      return { person_id: personId }
    }),
  ]
}

const visitorOf = ({ callerAddress, header }: Call): Visitor => ({
  userAgent: header('user-agent') ?? null,
  address: knownAddress(callerAddress),
})

/** The first that the browser asks for; what it cannot be read as is nobody's fault. */
function languageOf(header: string | undefined): string | null {
  const first = header?.split(',')[0]?.split(';')[0]?.trim() ?? ''
  return isLanguageTag(first) ? first : null
}
