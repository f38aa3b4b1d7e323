import type { AppAnswer, ChannelName } from '@countersign/contract'
import { useRef } from 'react'
import { DialogForm } from '#components/form/dialog-form.tsx'
import { Dialog } from '#components/ui/dialog.tsx'
import { FieldProblem } from '#components/ui/field.tsx'
import { sayProblem } from '#lib/form/problems.ts'
import { useField } from '#lib/form/use-field.ts'
import { useSettingsForm } from '#lib/form/use-settings-form.ts'
import { countryName } from '#lib/format.ts'
import { namingThoseOff, type Order } from '../lib/order.ts'
import { ChannelOrder } from './channel-order.tsx'

interface CountryOrderDialogProps {
  readonly app: AppAnswer
  readonly code: string
  readonly order: Order
  readonly onClose: () => void
}

interface Values {
  readonly routing: { readonly countries: Readonly<Record<string, ChannelName[]>> }
}

export function CountryOrderDialog({ app, code, order: start, onClose }: CountryOrderDialogProps) {
  const name = countryName(code)
  const isLifted = useRef(false)
  const form = useSettingsForm<Values>(app, {
    initial: { routing: { countries: { [code]: [...start] } } },
    change: ({ routing }) => ({
      routing,
      ...namingThoseOff(routing.countries[code] ?? [], app.channels),
    }),
    says: `The order for ${name} is saved`,
    onDone: onClose,
  })
  const { value, set, problem } = useField(form, `routing.countries.${code}`)
  return (
    <Dialog
      isOpen
      onOpenChange={() => {
        if (!isLifted.current) onClose()
      }}
      title={`Order for ${name}`}
      description={`Numbers in ${name} use this order instead of the default one.`}
    >
      <DialogForm form={form} submit="Save the order" onCancel={onClose}>
        <div className="flex flex-col gap-3">
          <ChannelOrder
            label={`Order for ${name}`}
            order={value}
            channels={app.channels}
            onChange={(order) => set([...order])}
            onLift={(lifted) => {
              isLifted.current = lifted
            }}
          />
          <FieldProblem text={problem && sayProblem('The order', problem)} />
        </div>
      </DialogForm>
    </Dialog>
  )
}
