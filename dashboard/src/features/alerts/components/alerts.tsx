import type { AlertsAnswer } from '@countersign/contract'
import { putAlertsBody } from '@countersign/contract/bodies'
import { useState } from 'react'
import { FormCard } from '#components/form/form-card.tsx'
import { Badge } from '#components/ui/badge.tsx'
import { Button } from '#components/ui/button.tsx'
import { Card } from '#components/ui/card.tsx'
import { SecretOnce } from '#components/ui/copy.tsx'
import { Empty } from '#components/ui/empty.tsx'
import { Notice } from '#components/ui/notice.tsx'
import { Loaded } from '#components/ui/problem.tsx'
import { SkeletonRows } from '#components/ui/skeleton.tsx'
import { Time } from '#components/ui/values.tsx'
import type { AnswerOf } from '#lib/client.ts'
import { against } from '#lib/form/problems.ts'
import { useForm } from '#lib/form/use-form.ts'
import type { Permission } from '#lib/session.ts'
import { browserZone } from '#lib/time-zone.ts'
import { type AlertOwner, useAlerts, usePutAlerts, useTestAlerts } from '../api/alerts.ts'
import { bodyOf, ruleWords, valuesOf } from '../lib/values.ts'
import { ChannelFields } from './channel-fields.tsx'
import { RotateSecret } from './rotate-secret.tsx'
import { RuleFields } from './rule-fields.tsx'

interface AlertsProps {
  readonly owner: AlertOwner
  readonly permission: Permission
}

export function Alerts({ owner, permission }: AlertsProps) {
  const query = useAlerts(owner)
  return (
    <Loaded query={query} loading={<SkeletonRows rows={6} />}>
      {(alerts) => (
        <>
          <Active
            active={alerts.active}
            isTold={alerts.channels.length > 0}
            lookAt={owner === null ? 'the Installation page' : 'the overview of each app'}
          />
          <SettingsForm key={owner} owner={owner} alerts={alerts} permission={permission} />
          <TestCard owner={owner} permission={permission} channels={alerts.channels.length} />
        </>
      )}
    </Loaded>
  )
}

interface ActiveProps extends Pick<AlertsAnswer, 'active'> {
  readonly isTold: boolean
  /** Where the same problems can be seen without alerts. */
  readonly lookAt: string
}

const Active = ({ active, isTold, lookAt }: ActiveProps) => (
  <Card isFlush title="Happening now">
    {active.length === 0 && isTold ? (
      <Empty title="All is well">This is checked every half minute.</Empty>
    ) : active.length === 0 ? (
      <Empty title="Nobody gets alerts yet">
        Add an address below. From then on, this is checked every half minute. Until then, {lookAt} says what
        needs attention.
      </Empty>
    ) : (
      <ul>
        {active.map((alert) => (
          <li
            key={`${alert.rule} ${alert.subject}`}
            className="flex flex-wrap items-center gap-x-3 gap-y-1 border-b px-4 py-2.5 text-sm last:border-b-0"
          >
            <Badge tone={alert.severity === 'critical' ? 'bad' : 'warn'}>{ruleWords[alert.rule].label}</Badge>
            <span className="min-w-0 flex-1 basis-64">{alert.message}</span>
            <span className="text-xs text-faint">
              <Time value={alert.since} />
            </span>
          </li>
        ))}
      </ul>
    )}
  </Card>
)

interface SettingsFormProps extends AlertsProps {
  readonly alerts: AlertsAnswer
}

function SettingsForm({ owner, alerts, permission }: SettingsFormProps) {
  const [secret, setSecret] = useState<string | null>(null)
  const put = usePutAlerts(owner)
  const form = useForm({
    initial: valuesOf(alerts, browserZone),
    isStored: true,
    body: bodyOf,
    check: against(putAlertsBody),
    submit: async (body) => {
      const saved = await put(body)
      if (saved.signing_secret) setSecret(saved.signing_secret)
    },
  })
  return (
    <>
      {secret && (
        <Notice tone="good" title="Alerts to webhooks are signed with this secret. It is shown only once.">
          <SecretOnce label="Signing secret" secret={secret} />
        </Notice>
      )}
      <FormCard
        form={form}
        title="Who gets which alerts"
        description="Every address below gets one alert when something begins and one when it is over. With 0 minutes, the first comes at once. Alerts held back in quiet hours are sent afterwards, if the problem still exists."
        permission={permission}
      >
        <ChannelFields form={form} />
        <RuleFields form={form} isOperators={owner === null} />
      </FormCard>
      {alerts.channels.some(({ kind }) => kind === 'webhook') && (
        <Card
          title="Signing secret"
          description="Alerts to webhooks are signed with it. Rotate it if somebody may have seen it, or if you have lost it."
        >
          <RotateSecret owner={owner} permission={permission} onSecret={setSecret} />
        </Card>
      )}
    </>
  )
}

interface TestCardProps extends AlertsProps {
  readonly channels: number
}

const kinds = { email: 'Email', webhook: 'Webhook', slack: 'Slack' } as const

function TestCard({ owner, permission, channels }: TestCardProps) {
  const [results, setResults] = useState<AnswerOf<'testAlerts'>['results'] | null>(null)
  const test = useTestAlerts(owner)
  const reason = permission.reason ?? (channels === 0 ? 'Save an address first.' : undefined)
  return (
    <Card title="Try it out" description="Sends one alert to every saved address now, even in quiet hours.">
      <div className="flex flex-col items-start gap-3">
        <Button
          disabledReason={reason}
          isBusy={test.isPending}
          onClick={async () => setResults((await test.run()).results)}
        >
          Send a test alert
        </Button>
        {results && (
          <ul role="status" className="flex flex-col gap-1 text-sm">
            {results.map(({ kind, ok, detail }, index) => (
              // Two channels may be of the same kind, so only their place in the list tells them apart.
              // biome-ignore lint/suspicious/noArrayIndexKey: the list is shown once and never changes
              <li key={index}>
                <Badge tone={ok ? 'accent' : 'bad'}>{ok ? 'Sent' : 'Failed'}</Badge> {kinds[kind]}: {detail}
              </li>
            ))}
          </ul>
        )}
      </div>
    </Card>
  )
}
