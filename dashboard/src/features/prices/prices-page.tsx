import type { PriceBook } from '@countersign/contract'
import { useQuery } from '@tanstack/react-query'
import { FormCard } from '#components/ui/form-card.tsx'
import { Page } from '#components/ui/page.tsx'
import { Loaded } from '#components/ui/problem.tsx'
import { SkeletonRows } from '#components/ui/skeleton.tsx'
import { pricesQuery } from '#lib/money.ts'
import { usePermission } from '#lib/session.ts'
import { useChange } from '#lib/use-change.ts'
import { useForm } from '#lib/use-form.ts'
import { bookOf, problemsOf, valuesOf } from './book-values.ts'
import { CountryRows } from './components/country-rows.tsx'
import { DefaultPrices } from './components/default-prices.tsx'

export const PricesPage = () => (
  <Page
    title="Price book"
    description="What one message costs, for all companies. New prices hold for messages from then on."
  >
    <Loaded query={useQuery(pricesQuery)} loading={<SkeletonRows />}>
      {(book) => <PriceForm book={book} />}
    </Loaded>
  </Page>
)

function PriceForm({ book }: { readonly book: PriceBook }) {
  const permission = usePermission(null, 'operator')
  const put = useChange('putPrices', {
    says: 'The price book is saved.',
    refreshes: ['getPrices', 'lintMessage', 'getSpend'],
    problems: 'form',
  })
  const form = useForm({
    initial: valuesOf(book),
    check: problemsOf,
    submit: (values) => put.mutateAsync({ body: bookOf(values) }),
  })
  return (
    <FormCard
      form={form}
      permission={permission}
      fields={['currency', 'default', 'countries']}
      title="Prices"
      description="By channel, and by country where it differs. The book is saved as a whole."
    >
      <DefaultPrices form={form} savedCurrency={book.currency} />
      <CountryRows form={form} />
    </FormCard>
  )
}
