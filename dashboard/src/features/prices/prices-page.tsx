import type { PriceBook } from '@countersign/contract'
import { priceBook } from '@countersign/contract/bodies'
import { useQuery } from '@tanstack/react-query'
import { FormCard } from '#components/form/form-card.tsx'
import { Page } from '#components/ui/page.tsx'
import { Loaded } from '#components/ui/problem.tsx'
import { SkeletonRows } from '#components/ui/skeleton.tsx'
import { against } from '#lib/form/problems.ts'
import { useForm } from '#lib/form/use-form.ts'
import { pricesQuery } from '#lib/money.ts'
import { usePermission } from '#lib/session.ts'
import { usePutPrices } from './api/put-prices.ts'
import { CountryRows } from './components/country-rows.tsx'
import { DefaultPrices } from './components/default-prices.tsx'
import { PriceFiles } from './components/price-files.tsx'
import { bookOf, valuesOf } from './lib/book-values.ts'

export const PricesPage = () => (
  <Page
    title="Price book"
    description="What one message costs, for all companies. New prices apply to messages sent from then on."
  >
    <Loaded query={useQuery(pricesQuery)} loading={<SkeletonRows />}>
      {(book) => (
        <>
          <PriceFiles book={book} />
          <PriceForm book={book} />
        </>
      )}
    </Loaded>
  </Page>
)

function PriceForm({ book }: { readonly book: PriceBook }) {
  const permission = usePermission(null, 'operator')
  const put = usePutPrices()
  const form = useForm({
    initial: valuesOf(book),
    isStored: true,
    body: bookOf,
    check: against(priceBook),
    submit: (body) => put.mutateAsync({ body }),
  })
  return (
    <FormCard
      form={form}
      permission={permission}
      title="Prices"
      description="By channel, and by country where it differs. The price book is saved as a whole."
    >
      <DefaultPrices form={form} savedCurrency={book.currency} />
      <CountryRows form={form} />
    </FormCard>
  )
}
