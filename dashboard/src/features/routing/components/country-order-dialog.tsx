import type { AppAnswer } from '@countersign/contract'
import { useRef } from 'react'
import { Dialog, DialogActions } from '#components/ui/dialog.tsx'
import { FieldProblem } from '#components/ui/field.tsx'
import { FormProblem } from '#components/ui/problem.tsx'
import { countryName } from '#lib/format.ts'
import { useForm } from '#lib/use-form.ts'
import { useSettingsChange } from '#lib/use-settings-change.ts'
import { namingThoseOff, type Order, problemOf } from '../order.ts'
import { ChannelOrder } from './channel-order.tsx'

interface CountryOrderDialogProps {
  readonly app: AppAnswer
  readonly code: string
  readonly order: Order
  readonly onClose: () => void
}

export function CountryOrderDialog({ app, code, order: start, onClose }: CountryOrderDialogProps) {
  const name = countryName(code)
  const field = `routing.countries.${code}`
  const isLifted = useRef(false)
  const change = useSettingsChange(app.app_id, { says: `The order of ${name} is saved`, problems: 'form' })
  const initial: Readonly<Record<string, Order>> = { [field]: start }
  const form = useForm({
    initial,
    check: ({ [field]: order = [] }) => ({ [field]: problemOf(order, app.channels) }),
    submit: async ({ [field]: order = [] }) => {
      await change({
        routing: { countries: { [code]: [...order] } },
        ...namingThoseOff(order, app.channels),
      })
      onClose()
    },
  })
  return (
    <Dialog
      isOpen
      onOpenChange={() => {
        if (!isLifted.current) onClose()
      }}
      title={`Order of ${name}`}
      description={`Numbers of ${name} use this order in place of the default one.`}
    >
      <form onSubmit={form.onSubmit} noValidate className="flex flex-col gap-4">
        <div className="flex flex-col gap-3">
          <ChannelOrder
            label={`Order of ${name}`}
            order={form.values[field] ?? []}
            channels={app.channels}
            onChange={(order) => form.set(field, order)}
            onLift={(lifted) => {
              isLifted.current = lifted
            }}
          />
          <FieldProblem text={form.problem(field)} />
        </div>
        <FormProblem error={form.error} fields={[field]} />
        <DialogActions submit="Save the order" isSending={form.isSending} onCancel={onClose} />
      </form>
    </Dialog>
  )
}
