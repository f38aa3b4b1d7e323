/**
 * A canary: a verification of the operator's own, sent through one account. It goes the way of every other, from the
 * rules to the receipt, and reports at which step it stopped. Its code is derived here, as the worker derives it for
 * the message, so it appears in no answer and in no log.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { AppError, sayDuration } from '@countersign/contract'
import type { Clock } from '../../../platform/clock.ts'
import { newId, type OtpId, parseId } from '../../../platform/ids.ts'
import { type Provider, type Providers, providersAmong } from '../../routing/index.ts'
import type { AppInForce, Principal } from '../../tenancy/index.ts'
import { createJudge } from '../guess/judge.ts'
import { type VerifyDependencies, verify } from '../guess/verify.ts'
import { createIssue, type IssueDependencies } from '../issuing/issue.ts'
import { send } from '../issuing/send.ts'
import { findVerification } from '../store.ts'
import { type DeliveryView, listDeliveries } from '../view-store.ts'

const canarySteps = ['send', 'accept', 'receipt', 'verify'] as const
export type CanaryStep = (typeof canarySteps)[number]

interface StepReport {
  readonly name: CanaryStep
  readonly ok: boolean
  readonly detail: string
  readonly ms: number
}

export interface CanaryReport {
  readonly isOk: boolean
  /** The first step that failed. */
  readonly failedStep: CanaryStep | null
  readonly otpId: string | null
  readonly steps: readonly StepReport[]
}

export interface CanaryDependencies extends IssueDependencies {
  readonly clock: Clock
  readonly onApproved: VerifyDependencies['onApproved']
}

export interface Canary {
  readonly app: AppInForce
  readonly account: Pick<Provider, 'providerId' | 'channel'>
  readonly recipient: string
  /** True for accounts that report nothing after they have taken a message. */
  readonly skipsReceipt?: boolean
}

/** How long an account may take: a worker looks twice a second, and an account has 15 seconds to take a message. */
const acceptMs = 30_000
const receiptMs = 60_000
const longestPauseMs = 500

/** Thrown to end a step; the message says why it failed. */
class Stopped extends Error {}

export async function runCanary(dependencies: CanaryDependencies, canary: Canary): Promise<CanaryReport> {
  const steps: StepReport[] = []
  let otpId: OtpId | null = null
  const principal: Principal = {
    kind: 'server',
    keyId: newId('key', dependencies.clock.nowMs()),
    app: canary.app,
  }
  const run: Readonly<Record<CanaryStep, () => Promise<string>>> = {
    send: async () => {
      otpId = await start(dependencies, principal, canary)
      return 'It was accepted.'
    },
    accept: async () => {
      await waitFor(dependencies, canary, otpId, acceptMs, isTaken)
      return 'The account has taken it.'
    },
    receipt: async () => {
      if (canary.skipsReceipt) return 'Not waited for.'
      await waitFor(dependencies, canary, otpId, receiptMs, isDelivered)
      return 'The provider says that it arrived.'
    },
    verify: async () => {
      await enter(dependencies, principal, otpId)
      return 'Its code was accepted.'
    },
  }
  for (const name of canarySteps) {
    const step = await timed(name, run[name])
    steps.push(step)
    if (!step.ok) break
  }
  const failedStep = steps.find(({ ok }) => !ok)?.name ?? null
  return { isOk: failedStep === null, failedStep, otpId, steps }
}

async function timed(name: CanaryStep, run: () => Promise<string>): Promise<StepReport> {
  const startedAtMs = performance.now()
  const report = (ok: boolean, detail: string): StepReport => ({
    name,
    ok,
    detail,
    ms: Math.round(performance.now() - startedAtMs),
  })
  try {
    return report(true, await run())
  } catch (error) {
    if (error instanceof Stopped) return report(false, error.message)
    if (error instanceof AppError) return report(false, `${error.errorName}: ${error.message}`)
    throw error
  }
}

/** Providers with only this account; the rest of routing is the same as for everybody. */
const only = (providers: Providers, providerId: string): Providers =>
  providersAmong(providers.all().filter((provider) => provider.providerId === providerId))

async function start(
  dependencies: CanaryDependencies,
  principal: Principal,
  { account, recipient }: Canary,
): Promise<OtpId> {
  const providers = only(dependencies.providers, account.providerId)
  const issue = createIssue({ ...dependencies, providers })
  const answer = await send({ ...dependencies, issue }, principal, {
    recipient,
    locale: null,
    clientIp: null,
    idempotencyKey: null,
    among: [account.channel],
  })
  if (answer.action_url !== null)
    throw new Stopped('The app sends links on WhatsApp, which nobody opens here: choose another account.')
  const otpId = parseId('verification', answer.otp_id)
  if (!otpId) throw new Stopped('It was given no id.')
  return otpId
}

/** A message that failed after the account took it counts as taken: it fails at the next step. */
const isTaken = ({ status, sentAt }: DeliveryView) =>
  status === 'sent' || status === 'delivered' || sentAt !== null
const isDelivered = ({ status }: DeliveryView) => status === 'delivered'

async function waitFor(
  { database }: CanaryDependencies,
  { app, account }: Canary,
  otpId: OtpId | null,
  patienceMs: number,
  isThere: (delivery: DeliveryView) => boolean,
): Promise<void> {
  if (!otpId) throw new Stopped('There is no verification.')
  const giveUpAtMs = performance.now() + patienceMs
  for (let pauseMs = 20; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
    const [delivery] = await listDeliveries(database.of(app.companyId), app.appId, otpId)
    if (!delivery) throw new Stopped('There is no message.')
    const why = delivery.error ? ` ${delivery.error.message} (${delivery.error.code})` : ''
    if (delivery.status !== 'queued' && delivery.providerId !== account.providerId)
      throw new Stopped(`Another account took it: ${delivery.providerId}.${why}`)
    if (isThere(delivery)) return
    if (delivery.status === 'failed') throw new Stopped(`The message failed.${why}`)
    if (performance.now() >= giveUpAtMs)
      throw new Stopped(`It is still ${delivery.status} after ${sayDuration(patienceMs / 1_000)}.${why}`)
    await sleep(pauseMs)
  }
}

async function enter(
  dependencies: CanaryDependencies,
  principal: Principal,
  otpId: OtpId | null,
): Promise<void> {
  const { companyId, appId } = principal.app
  const found = otpId && (await findVerification(dependencies.database.of(companyId), appId, otpId))
  if (!otpId || !found) throw new Stopped('There is no verification.')
  const { dataKey, codeVersion, codeLength } = found.verification
  const code = dependencies.keyring().code(dataKey, otpId, codeVersion, codeLength)
  const judge = createJudge(dependencies)
  const judging = { ...dependencies, judge, prove: async () => null }
  const { matched } = await verify(judging, principal, { otpId, code })
  if (!matched) throw new Stopped('Its own code is not accepted.')
}
