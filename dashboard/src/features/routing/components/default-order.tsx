import type { AppAnswer } from '@countersign/contract'
import { Link } from '@tanstack/react-router'
import { FieldProblem } from '#components/ui/field.tsx'
import { FormCard } from '#components/ui/form-card.tsx'
import { textLink } from '#components/ui/text-link.tsx'
import { useMayChangeApp } from '#lib/app.ts'
import { useForm } from '#lib/use-form.ts'
import { useSettingsChange } from '#lib/use-settings-change.ts'
import { namingThoseOff, type Order, problemOf } from '../order.ts'
import { ChannelOrder } from './channel-order.tsx'

const field = 'routing.default'

export function DefaultOrder({ app }: { readonly app: AppAnswer }) {
  const permission = useMayChangeApp(app.app_id)
  const change = useSettingsChange(app.app_id, { says: 'The order is saved', problems: 'form' })
  const initial: { readonly [field]: Order } = { [field]: app.routing.default }
  const form = useForm({
    initial,
    check: ({ [field]: order }) => ({ [field]: problemOf(order, app.channels) }),
    submit: ({ [field]: order }) =>
      change({ routing: { default: [...order] }, ...namingThoseOff(order, app.channels) }),
  })
  return (
    <FormCard
      form={form}
      title="Default order"
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
      fields={[field]}
    >
      <ChannelOrder
        label="Default order"
        order={form.values[field]}
        channels={app.channels}
        onChange={(order) => form.set(field, order)}
      />
      <FieldProblem text={form.problem(field)} />
    </FormCard>
  )
}
