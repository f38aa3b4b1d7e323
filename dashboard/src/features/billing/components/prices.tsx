import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { PriceTable } from '#components/prices/price-table.tsx'
import { buttonClass } from '#components/ui/button.tsx'
import { Card } from '#components/ui/card.tsx'
import { Input } from '#components/ui/input.tsx'
import { Loaded } from '#components/ui/problem.tsx'
import { SkeletonRows } from '#components/ui/skeleton.tsx'
import { pricesQuery } from '#lib/money.ts'
import { useMe } from '#lib/session.ts'

const route = getRouteApi('/shell/c/$companyId/billing')

export function Prices() {
  const { country = '' } = route.useSearch()
  const navigate = useNavigate()
  const { is_operator } = useMe()
  return (
    <Card
      isFlush
      title="Price book"
      description="What one message costs. Grey prices are the default."
      actions={
        <>
          <Input
            type="search"
            aria-label="Find a country"
            placeholder="Find a country"
            className="w-48"
            value={country}
            onChange={({ target }) =>
              void navigate({
                to: '.',
                search: (before) => ({ ...before, country: target.value || undefined }),
                replace: true,
              })
            }
          />
          {is_operator && (
            <Link to="/operator/prices" className={buttonClass()}>
              Edit
            </Link>
          )}
        </>
      }
    >
      <Loaded query={useQuery(pricesQuery)} loading={<SkeletonRows rows={3} />}>
        {(book) => <PriceTable book={book} search={country} />}
      </Loaded>
    </Card>
  )
}
