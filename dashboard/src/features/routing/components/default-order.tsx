import type { AppAnswer } from '@countersign/contract'
import { Link } from '@tanstack/react-router'
import { FormCard } from '#components/form/form-card.tsx'
import { FieldProblem } from '#components/ui/field.tsx'
import { textLink } from '#components/ui/text-link.tsx'
import { useMayChangeApp } from '#lib/app.ts'
import { sayProblem } from '#lib/form/problems.ts'
import { useField } from '#lib/form/use-field.ts'
import { useSettingsForm } from '#lib/form/use-settings-form.ts'
import { settingLabels } from '#lib/setting-labels.ts'
import { namingThoseOff } from '../lib/order.ts'
import { ChannelOrder } from './channel-order.tsx'

export function DefaultOrder({ app }: { readonly app: AppAnswer }) {
  const permission = useMayChangeApp(app.app_id)
  const form = useSettingsForm(app, {
    initial: { routing: { default: app.routing.default } },
    change: ({ routing }) => ({ routing, ...namingThoseOff(routing.default, app.channels) }),
    says: 'The order is saved',
  })
  const { value, set, problem } = useField(form, 'routing.default')
  return (
    <FormCard
      form={form}
      title={settingLabels['routing.default']}
      description={
        <>
          A send takes the first channel that can reach the recipient, a resend the next one. Which channels
          are on is set under{' '}
          <Link to="/a/$appId/channels" params={{ appId: app.app_id }} className={textLink}>
            Channels
          </Link>
          .
        </>
      }
      permission={permission}
    >
      <ChannelOrder
        label="Default order"
        order={value}
        channels={app.channels}
        onChange={(order) => set([...order])}
      />
      <FieldProblem text={problem && sayProblem('The order', problem)} />
    </FormCard>
  )
}
