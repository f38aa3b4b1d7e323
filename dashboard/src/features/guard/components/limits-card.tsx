import type { AppAnswer } from '@countersign/contract'
import { FormCard } from '#components/form/form-card.tsx'
import { useApp, useMayChangeApp } from '#lib/app.ts'
import { useSettingsForm } from '#lib/form/use-settings-form.ts'
import { settingLabels } from '#lib/setting-labels.ts'
import {
  isSameLimit,
  type LimitValues,
  limitWords,
  rewordLimit,
  rowsOf,
  windowsOf,
} from '../lib/limit-rows.ts'
import { LimitFields } from './limit-fields.tsx'

const valuesOf = ({ limits }: AppAnswer): LimitValues => ({
  limits: {
    recipient: rowsOf(limits.recipient),
    recipient_failures: rowsOf(limits.recipient_failures),
    ip: rowsOf(limits.ip),
    flagged_ip: rowsOf(limits.flagged_ip),
    app_without_ip: rowsOf(limits.app_without_ip),
    app: rowsOf(limits.app),
  },
})

/** Only changed limits are sent, since a limit that a request names must also be below its wider one. */
const changeOf = (app: AppAnswer, { limits }: LimitValues) => ({
  limits: Object.fromEntries(
    limitWords
      .filter(({ name }) => !isSameLimit(limits[name], rowsOf(app.limits[name])))
      .map(({ name }) => [name, windowsOf(limits[name])]),
  ),
})

export function LimitsCard({ appId }: { readonly appId: string }) {
  const app = useApp(appId)
  const permission = useMayChangeApp(appId)
  const form = useSettingsForm<LimitValues>(app, {
    initial: valuesOf(app),
    change: (values) => changeOf(app, values),
    says: 'Limits saved',
    reword: rewordLimit,
  })
  return (
    <FormCard
      form={form}
      permission={permission}
      title={settingLabels.limits}
      description="Each limit has one to four time windows, and a send has to fit within all of them. After a refusal, Retry-After says when to try again."
    >
      <div className="-mx-4 border-t">
        {limitWords.map((words) => (
          <LimitFields key={words.name} words={words} form={form} isFixed={!permission.may} />
        ))}
      </div>
    </FormCard>
  )
}
