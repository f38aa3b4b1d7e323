/** Twilio Verify's API on top of our own use cases; https://github.com/twilio/twilio-oai describes its answers. */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Principal } from '../../domain/tenancy/index.ts'
import { tooManyCalls } from '../../platform/too-many-calls.ts'
import type { Front } from '../front.ts'
import type { KnownCalls } from '../noted-errors.ts'
import { refuseOtherMethods } from '../other-methods.ts'
import { type Authenticate, bodyMs } from '../principal.ts'
import { fetchAttempt, listAttempts } from './attempts.ts'
import { readFields, type TwilioCall, type TwilioDependencies } from './call.ts'
import { checkVerification } from './check.ts'
import { refusal, twilioErrorOf, twilioErrorRecordOf, twilioRoot } from './error-body.ts'
import { fetchService, listServices } from './services.ts'
import { createVerification, fetchVerification, updateVerification } from './verifications.ts'

interface TwilioRoute {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly status?: 201
  readonly handle: (dependencies: TwilioDependencies, call: TwilioCall) => Promise<unknown>
}

const service = '/Services/:ServiceSid'

/** Below `/twilio/v2`. */
export const twilioRoutes: readonly TwilioRoute[] = [
  { method: 'GET', path: '/Services', handle: listServices },
  { method: 'GET', path: service, handle: fetchService },
  { method: 'POST', path: `${service}/Verifications`, status: 201, handle: createVerification },
  { method: 'GET', path: `${service}/Verifications/:Sid`, handle: fetchVerification },
  { method: 'POST', path: `${service}/Verifications/:Sid`, handle: updateVerification },
  { method: 'POST', path: `${service}/VerificationCheck`, status: 201, handle: checkVerification },
  { method: 'GET', path: '/Attempts', handle: listAttempts },
  { method: 'GET', path: '/Attempts/:Sid', handle: fetchAttempt },
]

export function registerTwilio(
  server: FastifyInstance,
  {
    authenticate,
    knownCalls,
    front,
    ...dependencies
  }: TwilioDependencies & {
    readonly authenticate: Authenticate
    readonly knownCalls: KnownCalls
    readonly front: Front
  },
): void {
  void server.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    // Parsed as a form whatever its content type: any other body lacks the parameters, and is refused for that.
    scope.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => done(null, body))
    for (const { method, path, status = 200, handle } of twilioRoutes) {
      const callers = new WeakMap<FastifyRequest, { readonly principal: Principal; readonly atMs: number }>()
      const url = `${twilioRoot}/v2${path}`
      const endpoint = `${method} ${url.replaceAll(/:(\w+)/g, '{$1}')}`
      const identify = (request: FastifyRequest, before?: Principal) =>
        principalOf(authenticate, request, before, (principal) =>
          knownCalls.set(request, { principal, recordOf: (error) => twilioErrorRecordOf(endpoint, error) }),
        )
      front.add({
        method,
        url,
        keyOf: passwordOf,
        errorRecord: twilioErrorRecordOf(endpoint, tooManyCalls()),
        bodyWith: () => fullBody,
        headers: [],
      })
      scope.route({
        method,
        url,
        onRequest: async (request) => {
          callers.set(request, { principal: await identify(request), atMs: performance.now() })
        },
        handler: async (request, reply) => {
          const known = callers.get(request)
          if (!known) throw refusal(20003)
          const isLate = performance.now() - known.atMs > bodyMs
          const principal = isLate ? await identify(request, known.principal) : known.principal
          const text = method === 'GET' ? queryOf(request.url) : request.body
          const call = {
            principal,
            params: request.params as Readonly<Record<string, string>>,
            fields: readFields(typeof text === 'string' ? text : ''),
          }
          return reply.code(status).send(await handle(dependencies, call))
        },
      })
    }
    refuseOtherMethods(
      scope,
      twilioRoutes.map(({ method, path }) => ({ method, url: `${twilioRoot}/v2${path}` })),
    )
  })
}

const queryOf = (url: string) => (url.includes('?') ? url.slice(url.indexOf('?') + 1) : '')

const fullBody = JSON.stringify(twilioErrorOf(tooManyCalls()))

function passwordOf(authorization: string): string {
  const [, encoded = ''] = /^Basic +([A-Za-z0-9+/=]+)$/i.exec(authorization) ?? []
  const pair = Buffer.from(encoded, 'base64').toString()
  return pair.slice(pair.indexOf(':') + 1)
}

/** The password is a server key. The user may be anything, since each client demands its own format. */
async function principalOf(
  authenticate: Authenticate,
  { headers }: FastifyRequest,
  before: Principal | undefined,
  onKnown: (principal: Principal) => void,
): Promise<Principal> {
  const key = passwordOf(headers.authorization ?? '')
  if (!/^\S+$/.test(key)) throw refusal(20003, 'send a server key as the password')
  const caller = await authenticate('server_key', {
    authorization: `Bearer ${key}`,
    sessionToken: () => null,
    ...(before && { before }),
    onKnown,
  })
  if (!caller || !('app' in caller)) throw refusal(20003)
  return caller
}
