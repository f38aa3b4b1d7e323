/** Which limits apply to one send or resend. */
import type { AppSettings, CountedScope, LimitWindow } from '@countersign/contract'
import type { Source } from '../../platform/source.ts'
import { type LimitCheck, type LimitKind, maxRemembered } from './limits.ts'

export interface LimitSubject {
  /** A resend is bounded by its verification's own attempts and cooldown, so no limit per recipient applies to it. */
  readonly kind: 'send' | 'resend'
  readonly appId: string
  readonly recipientHash: Buffer
  readonly ipKey: string | null
  readonly isFlagged: boolean
  /** True for a recipient that is easy to get, whose own limit is halved. */
  readonly isHalved?: boolean
}

const daySeconds = 86_400

export function keyOf(label: string, tail: Buffer | string): Buffer {
  const head = `${label}:`
  if (typeof tail === 'string') return Buffer.from(`${head}${tail}`)
  const headBytes = Buffer.byteLength(head)
  const key = Buffer.allocUnsafe(headBytes + tail.length)
  key.write(head)
  tail.copy(key, headBytes)
  return key
}

const failures = 'failures'
const ip = 'ip'
const labelOf = (name: string, appId: string) => `${name}:${appId}`

/** The same key in SQL, for the statement that counts a wrong code. */
export const failuresLimitKey = (row: Source<'app_id' | 'recipient_hash'>) =>
  `convert_to('${failures}:' || ${row.column('app_id')} || ':', 'UTF8') || ${row.column('recipient_hash')}`
/** The same key in SQL, for the statement that gives a send back when it is approved. */
export const ipLimitKey = (row: Source<'app_id' | 'ip_key'>) =>
  `convert_to('${ip}:' || ${row.column('app_id')} || ':' || ${row.column('ip_key')}, 'UTF8')`

export function limitsOf(limits: AppSettings['limits'], subject: LimitSubject): LimitCheck[] {
  const checks = subject.kind === 'send' ? limitsOfRecipient(limits, subject) : []
  const { appId, ipKey, isFlagged } = subject
  if (ipKey !== null) {
    if (isFlagged)
      checks.push(...perAddress('flagged_ip', `flagged:${appId}`, appId, ipKey, limits.flagged_ip))
    checks.push(...perAddress('ip', labelOf(ip, appId), appId, ipKey, limits.ip))
  } else if (subject.kind === 'send') {
    checks.push(...rates('app_without_ip', appId, limits.app_without_ip))
  }
  // Calls without an address count here too, so their own limit is never the looser one, whatever is set.
  checks.push(...rates('app', appId, limits.app))
  return checks
}

function limitsOfRecipient(
  limits: AppSettings['limits'],
  { appId, recipientHash, isHalved = false }: LimitSubject,
): LimitCheck[] {
  const perRecipient = isHalved ? limits.recipient.map(halve) : limits.recipient
  return [
    // Counted over the whole company, so the row is kept longer than this app's own windows.
    counted('recipient', keyOf('recipient', recipientHash), perRecipient.filter(isCountable), daySeconds),
    ...highRates('recipient', appId, recipientHash, perRecipient),
    {
      ...counted(
        'recipient',
        keyOf(labelOf(failures, appId), recipientHash),
        limits.recipient_failures,
        daySeconds,
      ),
      isCharged: false,
    },
  ]
}

const halve = ({ max, window_s }: LimitWindow) => ({ max: Math.max(1, Math.floor(max / 2)), window_s })

/** A row holds no more times than this; a window with a higher maximum is a rate, with a row of its own. */
export const isCountable = ({ max }: LimitWindow) => max <= maxRemembered

const highRates = (
  scope: CountedScope,
  appId: string,
  tail: Buffer | string,
  windows: readonly LimitWindow[],
) =>
  windows
    .filter((window) => !isCountable(window))
    .filter(isTightest)
    .map((window) =>
      check('rate', scope, keyOf(`${scope}:${appId}:${window.window_s}`, tail), [window], window.window_s),
    )

/** Of several windows of one length only the tightest is a rate: they would share a row, and each count in it. */
const isTightest = ({ max, window_s }: LimitWindow, index: number, windows: readonly LimitWindow[]) =>
  !windows.some(
    (other, at) => other.window_s === window_s && (other.max < max || (other.max === max && at < index)),
  )

/** The counted row is kept for the longest of all windows, since an approval takes its send out of it. */
const perAddress = (
  scope: CountedScope,
  label: string,
  appId: string,
  ipKey: string,
  windows: readonly LimitWindow[],
) => [
  counted(scope, keyOf(label, ipKey), windows.filter(isCountable), longest(windows)),
  ...highRates(scope, appId, ipKey, windows),
]

const longest = (windows: readonly LimitWindow[]) => Math.max(...windows.map((window) => window.window_s))

function check(
  kind: LimitKind,
  scope: CountedScope,
  key: Buffer,
  windows: readonly LimitWindow[],
  keepSeconds: number,
): LimitCheck {
  return { kind, scope, key, windows, isCharged: true, keepSeconds }
}

const counted = (scope: CountedScope, key: Buffer, windows: readonly LimitWindow[], keepSeconds: number) =>
  check('counted', scope, key, windows, keepSeconds)

const rates = (scope: CountedScope, appId: string, windows: readonly LimitWindow[]) =>
  windows
    .filter(isTightest)
    .map((window) =>
      check('rate', scope, keyOf(`${scope}:${appId}`, String(window.window_s)), [window], window.window_s),
    )
