/** Sends one notice to one channel: by mail, as a signed webhook, or in Slack's format. */
import type { AlertChannel } from '@countersign/contract'
import type { Clock } from '../../platform/clock.ts'
import { newId } from '../../platform/ids.ts'
import type { SafePost } from '../../platform/safe-post.ts'
import type { Owner } from '../../platform/tenant.ts'
import { escapeHtml } from '../messages/index.ts'
import type { Providers } from '../routing/index.ts'
import { type Secrets, sign, signedHeaders } from '../webhooks/index.ts'

export interface NotifyDependencies {
  readonly clock: Clock
  readonly post: SafePost
  readonly providers: Providers
  /** The public address of the service, where the dashboard is. */
  readonly publicUrl: string
}

/** The body of a webhook; the other formats are made from it. */
export interface NoticeBody {
  readonly id: string
  readonly type: 'alert.started' | 'alert.recovered' | 'alert.test'
  readonly payload: {
    readonly company_id: string | null
    readonly rule: string
    readonly subject: string
    readonly severity: 'warning' | 'critical'
    readonly message: string
    readonly since: string
    readonly at: string
  }
}

export interface Notified {
  readonly isNotified: boolean
  readonly detail: string
}

const mailMs = 12_000
/**
 * After this time no further account is tried: all of them together take less than 30 seconds, for which a proxy waits
 * for the answer of a test, and which is well within the lease, after which another node repeats the attempt.
 */
const furtherAccountsMs = 15_000

export async function notify(
  dependencies: NotifyDependencies,
  ownerId: Owner,
  channel: Pick<AlertChannel, 'kind' | 'to'>,
  { body, secrets }: { readonly body: string; readonly secrets: Secrets | null },
): Promise<Notified> {
  const notice: NoticeBody = JSON.parse(body)
  switch (channel.kind) {
    case 'email':
      return mail(dependencies, ownerId, channel.to, notice)
    case 'slack':
      return posted(await dependencies.post(channel.to, JSON.stringify({ text: slackText(notice) }), {}))
    case 'webhook': {
      if (secrets === null) return { isNotified: false, detail: 'There is no secret to sign with.' }
      const signed = sign(notice.id, body, secrets, dependencies.clock.nowMs())
      return posted(await dependencies.post(channel.to, body, signedHeaders(notice.id, signed)))
    }
  }
}

function posted({ status, error }: Awaited<ReturnType<SafePost>>): Notified {
  const isNotified = status !== null && status >= 200 && status < 300
  if (isNotified) return { isNotified, detail: `It answered ${status}.` }
  return { isNotified, detail: error ?? `It answered ${status}.` }
}

const titles = {
  'alert.started': 'Alert',
  'alert.recovered': 'Over',
  'alert.test': 'Test',
} as const

const titleOf = ({ type, payload }: NoticeBody) => `${titles[type]}: ${payload.message}`

/** In Slack's format these three characters have a meaning. */
const slackText = (notice: NoticeBody) =>
  titleOf(notice).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

const subjectLength = 120

async function mail(
  { clock, providers, publicUrl }: NotifyDependencies,
  ownerId: Owner,
  to: string,
  notice: NoticeBody,
): Promise<Notified> {
  const paragraphs = [
    titleOf(notice),
    `Since ${notice.payload.since}.`,
    `Look at it, or change who gets alerts: ${publicUrl}/dashboard`,
  ]
  const message = {
    deliveryId: newId('delivery', clock.nowMs()),
    recipient: to,
    code: '',
    text: paragraphs.join('\n\n'),
    subject: titleOf(notice).slice(0, subjectLength),
    html: paragraphs.map((paragraph) => `<p>${escapeHtml(paragraph)}</p>`).join(''),
    locale: 'en',
    ttlSeconds: 86_400,
    nowMs: clock.nowMs(),
    inReplyTo: null,
    callbackUrl: publicUrl,
  }
  const untilMs = clock.nowMs() + furtherAccountsMs
  let detail = 'No account carries email.'
  for (const { account } of providers.usable(ownerId, 'email', null)) {
    if (clock.nowMs() > untilMs) break
    const outcome = await account.send(message, AbortSignal.timeout(mailMs))
    if (outcome.kind === 'accepted') return { isNotified: true, detail: 'The mail server has taken it.' }
    detail = outcome.error.message
    // The mail may have left, so it is not sent again.
    if (outcome.kind === 'uncertain') return { isNotified: true, detail }
  }
  return { isNotified: false, detail }
}
