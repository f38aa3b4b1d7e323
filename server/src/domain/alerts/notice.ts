/** The notice of one alert for one channel: what it says, and when it is due. */
import type { AlertChannel } from '@countersign/contract'
import type { Clock } from '../../platform/clock.ts'
import { newId } from '../../platform/ids.ts'
import type { Keyring } from '../../platform/keyring.ts'
import { type Owner, operatorOwner } from '../../platform/tenant.ts'
import { type Alert, channelsContext, lastsMs, type RuleSettings } from './alert.ts'
import type { Notice } from './notice-store.ts'
import type { NoticeBody } from './notify.ts'
import { quietForMs } from './quiet-hours.ts'

interface NoticeSource {
  readonly dependencies: { readonly keyring: () => Keyring; readonly clock: Clock }
  readonly ownerId: Owner
  readonly rules: RuleSettings
}

export function noticeOf(
  { dependencies: { keyring: readKeyring, clock }, ownerId, rules }: NoticeSource,
  { kind, to, quiet_hours }: AlertChannel,
  alert: Alert,
  type: NoticeBody['type'],
): Notice {
  const nowMs = clock.nowMs()
  const rule = rules[alert.rule]
  const isRecovery = type === 'alert.recovered'
  const waitMs = isRecovery ? 0 : lastsMs(alert.rule, rule)
  const body = bodyOf(ownerId, alert, type, nowMs)
  const keyring = readKeyring()
  const channel = textOf({ kind, to })
  return {
    noticeId: body.id,
    rule: alert.rule,
    subject: alert.subject,
    isRecovery,
    isToBeSent: !isRecovery || rule.recovery,
    channel: keyring.seal(keyring.current(nowMs), channel, channelsContext(ownerId)),
    channelKey: keyring.lookupHash('alert channel', `${ownerId} ${channel}`).toString('base64url'),
    body: JSON.stringify(body),
    afterMs: waitMs + (rule.quiet_hours ? quietForMs(quiet_hours, nowMs + waitMs) : 0),
  }
}

/** A channel without its quiet hours. */
export type Address = Pick<AlertChannel, 'kind' | 'to'>

export const textOf = ({ kind, to }: Address) => JSON.stringify({ kind, to })

export const bodyOf = (
  ownerId: Owner,
  { rule, subject, severity, message, since }: Omit<Alert, 'rule'> & { readonly rule: string },
  type: NoticeBody['type'],
  nowMs: number,
): NoticeBody => ({
  id: newId('notice', nowMs),
  type,
  payload: {
    company_id: ownerId === operatorOwner ? null : ownerId,
    rule,
    subject,
    severity,
    message,
    since: since.toISOString(),
    at: new Date(nowMs).toISOString(),
  },
})
