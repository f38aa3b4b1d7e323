/** Opens the HTTP server of a node: API calls, callbacks of providers, pages, and authentication. */
import type { FastifyInstance } from 'fastify'
import {
  findSignedIn,
  findSignedInAgain,
  type RefusalDependencies,
  refusalBudget,
  WindowBudget,
} from '../domain/members/index.ts'
import { receiveMessage } from '../domain/verification/index.ts'
import { createAudit } from '../http/audit.ts'
import { registerCallbacks } from '../http/callbacks.ts'
import { registerDashboard } from '../http/dashboard.ts'
import { loadDocuments, registerDocuments } from '../http/documents.ts'
import { Front } from '../http/front.ts'
import { askBehindGate, Gate } from '../http/gate.ts'
import { createLocate } from '../http/locate.ts'
import type { KnownCalls } from '../http/noted-errors.ts'
import { registerPages } from '../http/pages.ts'
import { createAuthenticate } from '../http/principal.ts'
import { createReadiness } from '../http/readiness.ts'
import { createServer } from '../http/server.ts'
import { createSessionCookie } from '../http/session-cookie.ts'
import { registerTwilio } from '../http/twilio/register.ts'
import { describeError } from '../platform/log.ts'
import { noApi, openApi } from './open-api.ts'
import type { Core } from './open-core.ts'
import type { Opening } from './opening.ts'
import type { Worker } from './start-worker.ts'

const answerMs = 12_500
/** More than `DRAIN_SECONDS` can be. */
const mostDrainMs = 3_600_000

export async function openHttp(opening: Opening, core: Core, worker: Worker): Promise<FastifyInstance> {
  const { options, duties, closers, calls } = opening
  const { log, metrics, database, keyring, directory } = core
  const { adminToken, publicUrl, trustedProxies, metricsToken, documentsFolder } = options
  const auditing = auditingWith(core)
  const { routes, otp, dashboard, noteError } = duties.answersCalls
    ? await openApi(opening, core, { worker, auditing })
    : noApi
  const gate = new Gate()
  const authenticate = askBehindGate(
    createAuthenticate({
      directory,
      adminToken,
      findSignedIn: (token) => findSignedIn({ database, keyring }, token),
      findSignedInAgain: (before) => findSignedInAgain({ database, keyring }, before),
    }),
    gate,
    directory.recallPrincipal,
  )
  const front = new Front({
    ...core,
    gate,
    recall: directory.recallPrincipal,
    isClosing: calls.isClosing,
    noteError,
  })
  const knownCalls: KnownCalls = new WeakMap()
  const server = createServer({
    routes,
    authenticate,
    untilHandedOn: options.untilHandedOn,
    locate: createLocate(database),
    audited: createAudit(auditing),
    replays: core,
    cookie: createSessionCookie(publicUrl),
    trustedProxies,
    isClosing: calls.isClosing,
    noteError,
    knownCalls,
    gate,
    front,
    log,
    metrics,
    tracer: core.tracer,
    noteKeyError: core.noteKeyError,
  })
  calls.comeTo(server)
  const { drainMs = () => 0 } = options
  closers.add('drain', 'balancers to turn away', () => calls.drain(drainMs()), mostDrainMs)
  closers.add('work', 'calls under way', calls.close, answerMs)
  registerCallbacks(server, {
    ...core,
    publicUrl,
    trustedProxies,
    onReceipt: core.receipts.put,
    onInbound: (provider, message) => receiveMessage({ ...core, nudge: worker.nudge }, provider, message),
  })
  if (otp) registerTwilio(server, { ...core, ...otp, publicUrl, authenticate, knownCalls, front })
  if (dashboard) registerDashboard(server, dashboard)
  const documents = documentsFolder ? await loadDocuments(documentsFolder) : null
  if (documents) registerDocuments(server, documents)
  registerPages(server, {
    metrics,
    metricsToken,
    signingKeys: core.signingKeys,
    home: dashboard ? '/dashboard' : documents ? '/docs' : '/api/v1/openapi.json',
    readiness: createReadiness({ ...core, isClosing: calls.isClosing }),
  })
  return server
}

const auditingWith = ({ database, clock, keyring, log }: Core): RefusalDependencies => ({
  database,
  clock,
  keyring,
  refusals: {
    strangers: new WindowBudget(clock.nowMs, refusalBudget),
    known: new WindowBudget(clock.nowMs, refusalBudget),
  },
  onUnrecorded: (error) => log('warn', 'a refusal could not be recorded', describeError(error)),
})
