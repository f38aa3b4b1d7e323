/** Opens the calls of people and programs, with everything that they need. */
import { reportApproved } from '../domain/delivery/index.ts'
import { Guesses } from '../domain/guard/index.ts'
import type { NoteCallError } from '../domain/insight/index.ts'
import {
  challengeBudget,
  type RefusalDependencies,
  relyingPartyOf,
  WindowBudget,
} from '../domain/members/index.ts'
import {
  batchingFor,
  createIssue,
  createJudge,
  createProve,
  type VerifyDependencies,
} from '../domain/verification/index.ts'
import { type Dashboard, loadDashboard } from '../http/dashboard.ts'
import { alertRoutes } from '../http/manage/alerts.ts'
import { appRoutes } from '../http/manage/apps.ts'
import { auditRoutes } from '../http/manage/audit.ts'
import { blockRoutes } from '../http/manage/blocks.ts'
import { companyRoutes } from '../http/manage/companies.ts'
import { eventRoutes } from '../http/manage/events.ts'
import { guardRoutes } from '../http/manage/guard.ts'
import { insightRoutes } from '../http/manage/insight.ts'
import { installationRoutes } from '../http/manage/installation.ts'
import { keyRoutes } from '../http/manage/keys.ts'
import { meRoutes } from '../http/manage/me.ts'
import { memberRoutes } from '../http/manage/members.ts'
import { operatorRoutes } from '../http/manage/operators.ts'
import { passkeyRoutes } from '../http/manage/passkeys.ts'
import { providerRoutes } from '../http/manage/providers.ts'
import { ruleRoutes } from '../http/manage/rules.ts'
import { signInRoutes } from '../http/manage/sign-in.ts'
import { supportRoutes } from '../http/manage/support.ts'
import { webhookRoutes } from '../http/manage/webhooks.ts'
import type { Route } from '../http/route.ts'
import { type OtpDependencies, otpRoutes } from '../http/v1/otp.ts'
import type { GuardPart } from '../platform/guard-metrics.ts'
import { describeError } from '../platform/log.ts'
import { startAlerts } from '../worker/alerts.ts'
import { type ErrorLog, startErrorLog } from '../worker/errors.ts'
import { startGuessWatch } from '../worker/guesses.ts'
import { type RefusalLog, startRefusalLog } from '../worker/refusals.ts'
import type { Core } from './open-core.ts'
import type { Opening } from './opening.ts'
import type { Worker } from './start-worker.ts'

export interface Api {
  readonly noteError: NoteCallError | undefined
  readonly routes: readonly Route[]
  /** The dependencies of calls about verifications; null if this node answers no calls. */
  readonly otp: OtpDependencies | null
  /** Null if it has not been built. */
  readonly dashboard: Dashboard | null
}

export const noApi: Api = { noteError: undefined, routes: [], otp: null, dashboard: null }

export async function openApi(
  opening: Opening,
  core: Core,
  parts: { readonly worker: Worker; readonly auditing: RefusalDependencies },
): Promise<Api> {
  const { dashboardFolder, publicUrl } = opening.options
  // Alerts run on nodes that answer calls, since only those have the IP lists, which alerts also watch.
  const alerts = startAlerts({ ...core, post: core.door.post, publicUrl })
  opening.closers.add('work', 'alerts', alerts.close)
  const { log, metrics, database, clock } = core
  const refusals = startRefusalLog({ database, metrics, log })
  // A stage after the calls, so that refusals of the last calls are written too.
  opening.closers.add('connections', 'refusals', refusals.close)
  const errors = startErrorLog({ database, clock, log })
  opening.closers.add('connections', 'errors of callers', errors.close)
  const otp = openVerification(opening, core, parts.worker, refusals)
  const managing = { ...core, writeRefusals: refusals.write, writeErrors: errors.write }
  const verifying = { ...core, ...otp }
  return {
    noteError: errors.note,
    routes: [
      ...verificationRoutes(opening, verifying, parts.auditing),
      ...manageRoutes(opening, managing, parts.worker),
      ...supportRoutes({ ...verifying, nudgeEvents: parts.worker.nudgeEvents }),
    ],
    otp,
    dashboard: dashboardFolder ? await loadDashboard(dashboardFolder) : null,
  }
}

function openVerification(
  opening: Opening,
  core: Core,
  { handOver, nudgeEvents }: Worker,
  refusals: RefusalLog,
): OtpDependencies {
  const { log, metrics, database } = core
  const countUnguarded = (error: unknown, part: GuardPart) => {
    metrics.countUnguarded(part)
    log('warn', 'a part of the guard could not be asked', { part, ...describeError(error) })
  }
  const guesses = new Guesses()
  const guessWatch = startGuessWatch({
    database,
    guesses,
    setAlarms: metrics.setGuessAlarms,
    // While the database is away no code is judged, so no guess goes unwatched.
    countUnguarded: (error) => core.databaseHealth.unlessAway(error, () => countUnguarded(error, 'guessing')),
    log,
  })
  // A stage after the calls, so that the last guesses are counted too.
  opening.closers.add('connections', 'counts of guesses', guessWatch.close)
  const onApproved: VerifyDependencies['onApproved'] = (app, otpId, { channel, country }) => {
    metrics.countApproval(channel, country)
    nudgeEvents(app)
    const { companyId, appId } = app
    core.routeBook.approved({ companyId, appId, otpId, channel, atMs: core.clock.nowMs() })
    reportApproved(core, app, otpId, channel).catch((error: unknown) =>
      log('warn', 'a conversion could not be reported', describeError(error)),
    )
  }
  const issuing = { ...core, handOver, countUnguarded, noteRefusal: refusals.note, random: Math.random }
  const issue = createIssue(issuing, batchingFor(opening.options.databaseConnections))
  const prove = createProve({ ...core, publicUrl: opening.options.publicUrl })
  return { ...issuing, guesses, onApproved, issue, prove, judge: createJudge(issuing) }
}

/** Signing in proves an email address, and an invitation sends a message, so both need verifications. */
function verificationRoutes(
  { options }: Opening,
  otp: OtpDependencies & Pick<Core, 'routingAccounts'>,
  auditing: RefusalDependencies,
): readonly Route[] {
  const { publicUrl, phonesUrl } = options
  const challenges = () => new WindowBudget(auditing.clock.nowMs, challengeBudget)
  const signingIn = {
    ...otp,
    ...auditing,
    relyingParty: relyingPartyOf(publicUrl),
    challenges: { ofStrangers: challenges(), ofKnown: challenges() },
  }
  return [
    ...otpRoutes(otp),
    ...signInRoutes(signingIn),
    ...passkeyRoutes(signingIn),
    ...meRoutes({ ...otp, publicUrl, phonesUrl }),
    ...memberRoutes({ ...otp, publicUrl }),
    ...auditRoutes(otp),
  ]
}

function manageRoutes(
  { options }: Opening,
  core: Core & { readonly writeRefusals: RefusalLog['write']; readonly writeErrors: ErrorLog['write'] },
  { nudgeEvents }: Worker,
): readonly Route[] {
  const { kinds, publicUrl } = options
  const sending = { ...core, nudgeEvents: () => nudgeEvents() }
  return [
    ...operatorRoutes(core),
    ...installationRoutes(core),
    ...alertRoutes({ ...core, post: core.door.post, publicUrl }),
    ...companyRoutes(core),
    ...appRoutes(core),
    ...keyRoutes(core),
    ...insightRoutes(core),
    ...blockRoutes(core),
    ...guardRoutes(core),
    ...ruleRoutes(core),
    ...providerRoutes({ ...core, kinds, publicUrl, reload: core.providers.reload }),
    ...webhookRoutes(sending),
    ...eventRoutes(sending),
  ]
}
