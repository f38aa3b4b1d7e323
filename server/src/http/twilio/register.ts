/** Twilio Verify's API on our own use cases: https://github.com/twilio/twilio-oai describes its answers. */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Principal } from '../../domain/tenancy/index.ts'
import { refuseOtherMethods } from '../other-methods.ts'
import type { Authenticate } from '../principal.ts'
import { fetchAttempt, listAttempts } from './attempts.ts'
import { readFields, type TwilioCall, type TwilioDependencies } from './call.ts'
import { checkVerification } from './check.ts'
import { refusal, twilioRoot } from './error-body.ts'
import { fetchService, listServices } from './services.ts'
import { createVerification, fetchVerification, updateVerification } from './verifications.ts'

interface TwilioRoute {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly status?: 201
  readonly handle: (dependencies: TwilioDependencies, call: TwilioCall) => Promise<unknown>
}

const service = '/Services/:ServiceSid'

const routes: readonly TwilioRoute[] = [
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
  { authenticate, ...dependencies }: TwilioDependencies & { readonly authenticate: Authenticate },
): void {
  void server.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    // A form whatever it is called: what is none lacks the parameters, and is told so.
    scope.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => done(null, body))
    for (const { method, path, status = 200, handle } of routes) {
      const callers = new WeakMap<FastifyRequest, Principal>()
      scope.route({
        method,
        url: `${twilioRoot}/v2${path}`,
        onRequest: async (request) => {
          callers.set(request, await principalOf(authenticate, request))
        },
        handler: async (request, reply) => {
          const principal = callers.get(request)
          if (!principal) throw refusal(20003)
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
      routes.map(({ method, path }) => ({ method, url: `${twilioRoot}/v2${path}` })),
    )
  })
}

const queryOf = (url: string) => (url.includes('?') ? url.slice(url.indexOf('?') + 1) : '')

/** The password is a server key; the user may be anything, since each client asks for one of its own form. */
async function principalOf(authenticate: Authenticate, { headers }: FastifyRequest): Promise<Principal> {
  const [, encoded = ''] = /^Basic +([A-Za-z0-9+/=]+)$/i.exec(headers.authorization ?? '') ?? []
  const pair = Buffer.from(encoded, 'base64').toString()
  const key = pair.slice(pair.indexOf(':') + 1)
  if (!/^\S+$/.test(key)) throw refusal(20003, 'send a server key as the password')
  const caller = await authenticate('server_key', { authorization: `Bearer ${key}`, sessionToken: null })
  if (!caller || !('app' in caller)) throw refusal(20003)
  return caller
}
