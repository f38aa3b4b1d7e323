/** Turns alerts into the values of their form, and back. */
import type { AlertChannel, AlertRuleName, AlertsAnswer } from '@countersign/contract'
import type { InputOf } from '#lib/client.ts'

export interface ChannelValues {
  readonly kind: AlertChannel['kind']
  readonly to: string
  readonly isQuiet: boolean
  readonly quiet_hours: { readonly from: string; readonly to: string; readonly time_zone: string }
}

export interface AlertValues {
  readonly channels: readonly ChannelValues[]
  readonly rules: Readonly<Record<AlertRuleName, RuleValues>>
}

interface RuleValues {
  readonly enabled: boolean
  /** Null while nothing is typed. */
  readonly threshold: number | null
  readonly quiet_hours: boolean
  readonly recovery: boolean
}

export const newChannel = (timeZone: string): ChannelValues => ({
  kind: 'email',
  to: '',
  isQuiet: false,
  quiet_hours: { from: '22:00', to: '07:00', time_zone: timeZone },
})

export const valuesOf = ({ channels, rules }: AlertsAnswer, timeZone: string): AlertValues => ({
  channels: channels.map(({ kind, to, quiet_hours }) => ({
    kind,
    to,
    isQuiet: quiet_hours !== null,
    quiet_hours: quiet_hours ?? newChannel(timeZone).quiet_hours,
  })),
  rules,
})

export const bodyOf = ({ channels, rules }: AlertValues): InputOf<'putOperatorAlerts'>['body'] => ({
  channels: channels.map(({ kind, to, isQuiet, quiet_hours }) => ({
    kind,
    to: to.trim(),
    quiet_hours: isQuiet ? quiet_hours : null,
  })),
  rules,
})

interface RuleWords {
  readonly label: string
  readonly text: string
  /** The unit of the threshold. Without one it counts the minutes that the problem has lasted. */
  readonly unit?: string
  /** Who is never told, because this problem is not looked for there. */
  readonly notFor?: 'company' | 'operator'
}

export const ruleWords: Readonly<Record<AlertRuleName, RuleWords>> = {
  low_balance: {
    label: 'Balance is low',
    text: 'At the current rate it will soon run out.',
    unit: 'days left',
  },
  failing_provider: { label: 'A provider account fails', text: 'It cannot connect, or most messages fail.' },
  conversion_drop: {
    label: 'Conversion has fallen',
    text: 'On a channel or in a country, far fewer are approved than in the last week.',
    unit: 'percent below',
  },
  pumping_blocks: {
    label: 'Pumped traffic is held back',
    text: 'The guard has blocked a number range, carrier or country.',
  },
  pumping_learning: {
    label: 'The guard would hold traffic back',
    text: 'It is still learning, or only monitors.',
    notFor: 'operator',
  },
  pumping_misfit: {
    label: 'The guard’s settings do not fit',
    text: 'They do not match the traffic.',
    notFor: 'operator',
  },
  wrong_codes: {
    label: 'Many wrong codes',
    text: 'Far more than usual are entered: somebody may be guessing.',
  },
  webhook_paused: { label: 'A webhook endpoint is paused', text: 'It failed too often. Its events wait.' },
  spend_cap: {
    label: 'A spend cap is nearly reached',
    text: 'When it is reached, sends are refused.',
    unit: 'percent used',
    notFor: 'operator',
  },
  no_messages_delivered: {
    label: 'No messages are delivered',
    text: 'None was reported delivered in an hour, and nobody was approved.',
    notFor: 'operator',
  },
  ip_source: { label: 'A list of IP addresses is stale', text: 'It cannot be read, or is too old.' },
  partitions_short: {
    label: 'Partitions are running out',
    text: 'The database has partitions for only a few more days.',
    unit: 'days left',
    notFor: 'company',
  },
  canary_failed: {
    label: 'A canary did not come back',
    text: 'A test verification through an account did not finish.',
    notFor: 'company',
  },
}
