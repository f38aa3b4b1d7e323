import { pricedLabels, pricedNames, replyNote } from '#components/prices/price-rows.ts'
import { AmountInput } from '#components/ui/amount-input.tsx'
import { Field } from '#components/ui/field.tsx'
import { Input } from '#components/ui/input.tsx'
import { Notice } from '#components/ui/notice.tsx'
import type { Form } from '#lib/use-form.ts'
import type { BookValues } from '../book-values.ts'

interface DefaultPricesProps {
  readonly form: Form<BookValues>
  readonly savedCurrency: string
}

export const DefaultPrices = ({ form, savedCurrency }: DefaultPricesProps) => (
  <>
    <Field
      label="Currency"
      hint="One for the whole installation."
      problem={form.problem('currency')}
      className="max-w-40"
    >
      {(control) => (
        <Input
          {...control}
          maxLength={3}
          className="uppercase"
          value={form.values.currency}
          onChange={(event) => form.set('currency', event.target.value.toUpperCase())}
        />
      )}
    </Field>
    {form.values.currency !== savedCurrency && (
      <Notice tone="warn" title="Nothing is converted.">
        Balances, caps and prices keep their figures; only the currency that they are read in changes.
      </Notice>
    )}
    <fieldset className="grid grid-cols-2 items-start gap-x-4 gap-y-3 sm:grid-cols-3 lg:grid-cols-5">
      <legend className="mb-2 text-sm font-semibold">Everywhere else</legend>
      {pricedNames.map((name) => (
        <Field
          key={name}
          label={pricedLabels[name]}
          hint={name === 'whatsapp_reply' ? replyNote : undefined}
          problem={form.problem(`default.${name}`)}
        >
          {(control) => (
            <AmountInput
              {...control}
              value={form.values[`default.${name}`]}
              onValue={(price) => form.set(`default.${name}`, price)}
            />
          )}
        </Field>
      ))}
    </fieldset>
  </>
)
