import { AmountField, TextField } from '#components/form/fields.tsx'
import { pricedLabels, pricedNames, replyNote } from '#components/prices/price-rows.ts'
import { Notice } from '#components/ui/notice.tsx'
import type { Form } from '#lib/form/use-form.ts'
import type { BookValues } from '../lib/book-values.ts'

interface DefaultPricesProps {
  readonly form: Form<BookValues>
  readonly savedCurrency: string
}

export const DefaultPrices = ({ form, savedCurrency }: DefaultPricesProps) => (
  <>
    <TextField
      form={form}
      name="currency"
      label="Currency"
      hint="One for the whole installation."
      className="max-w-40 uppercase"
      tidy={(text) => text.toUpperCase()}
    />
    {form.values.currency !== savedCurrency && (
      <Notice tone="warn" title="Nothing is converted.">
        Balances, caps and prices keep their numbers; only the currency they are in changes.
      </Notice>
    )}
    <fieldset className="grid grid-cols-2 items-start gap-x-4 gap-y-3 sm:grid-cols-3 lg:grid-cols-5">
      <legend className="mb-2 text-sm">
        <span className="font-semibold">Default</span>
        <span className="block text-xs text-muted">
          {form.values.currency} for one message, in every country without a price of its own.
        </span>
      </legend>
      {pricedNames.map((name) => (
        <AmountField
          key={name}
          form={form}
          name={`default.${name}`}
          label={pricedLabels[name]}
          hint={name === 'whatsapp_reply' ? replyNote : undefined}
        />
      ))}
    </fieldset>
  </>
)
