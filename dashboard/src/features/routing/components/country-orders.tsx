import type { AppAnswer } from '@countersign/contract'
import Globe from 'lucide-react/icons/globe'
import Plus from 'lucide-react/icons/plus'
import { useState } from 'react'
import { Button } from '#components/ui/button.tsx'
import { Card } from '#components/ui/card.tsx'
import { countryOptions } from '#components/ui/country-chips.tsx'
import { Empty } from '#components/ui/empty.tsx'
import { Picker } from '#components/ui/picker.tsx'
import { type Column, Table } from '#components/ui/table.tsx'
import { Country } from '#components/ui/values.tsx'
import { useMayChangeApp } from '#lib/app.ts'
import { countryName } from '#lib/format.ts'
import type { Permission } from '#lib/session.ts'
import { settingLabels } from '#lib/setting-labels.ts'
import type { Order } from '../lib/order.ts'
import { CountryOrderActions } from './country-order-actions.tsx'
import { CountryOrderDialog } from './country-order-dialog.tsx'
import { OrderLine } from './order-line.tsx'

interface CountryOrder {
  readonly code: string
  readonly order: Order
}

export function CountryOrders({ app }: { readonly app: AppAnswer }) {
  const permission = useMayChangeApp(app.app_id)
  const [edited, setEdited] = useState<CountryOrder | null>(null)
  const rows = Object.entries(app.routing.countries)
    .map(([code, order]) => ({ code, order }))
    .sort((one, other) => countryName(one.code).localeCompare(countryName(other.code), 'en'))
  return (
    <Card
      title={settingLabels['routing.countries']}
      description="Numbers in these countries use a different order."
      isFlush
      actions={
        <AddCountry
          permission={permission}
          taken={rows.map(({ code }) => code)}
          onPick={(code) => setEdited({ code, order: app.routing.default })}
        />
      }
    >
      {rows.length === 0 ? (
        <Empty title="Every country follows the default order" icon={<Globe />} className="py-8">
          Where people prefer another channel, or one is much more expensive, give the country its own order.
        </Empty>
      ) : (
        <Table
          label="Orders by country"
          columns={columnsOf({ app, onEdit: setEdited })}
          rows={rows}
          rowKey={({ code }) => code}
        />
      )}
      {edited && (
        <CountryOrderDialog
          app={app}
          code={edited.code}
          order={edited.order}
          onClose={() => setEdited(null)}
        />
      )}
    </Card>
  )
}

interface AddCountryProps {
  readonly permission: Permission
  readonly taken: readonly string[]
  readonly onPick: (code: string) => void
}

function AddCountry({ permission: { may, reason }, taken, onPick }: AddCountryProps) {
  const button = (
    <Button disabledReason={reason}>
      <Plus aria-hidden="true" />
      Add a country
    </Button>
  )
  if (!may) return button
  return (
    <Picker
      label="Country"
      trigger={button}
      options={countryOptions.filter(({ value }) => !taken.includes(value))}
      onPick={onPick}
    />
  )
}

interface ColumnOptions {
  readonly app: AppAnswer
  readonly onEdit: (row: CountryOrder) => void
}

const columnsOf = ({ app, onEdit }: ColumnOptions): readonly Column<CountryOrder>[] => [
  { key: 'country', header: 'Country', cell: ({ code }) => <Country code={code} /> },
  {
    key: 'order',
    header: 'Order',
    cell: ({ order }) => <OrderLine order={order} channels={app.channels} />,
  },
  {
    key: 'change',
    header: <span className="sr-only">Change</span>,
    align: 'end',
    cell: (row) => <CountryOrderActions appId={app.app_id} code={row.code} onEdit={() => onEdit(row)} />,
  },
]
